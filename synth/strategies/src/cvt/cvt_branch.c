/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New work items from a run of the strategy cvt: at every point after the item's own last demotion the running thread
 * may become a new fragment, further down in the list of ranks.
 *
 *      ranks   T2  main  F0  T1        running: T2, enabled: T2 main T1 (as F0 if it was demoted)
 *                  ^1    ^2  ^3        places for the next fragment at which T2 gives way
 */
#include <errno.h>
#include <string.h>

#include "strategy_cvt.h"
#include "vtb/array.h"
#include "vtb/focus.h"
#include "vtb/orders.h"
#include "vtb/rng.h"

struct branch {
	struct cvt *s;
	uint32_t id; /* the item that was run */
	const struct vtb_exec *x;
	uint32_t before; /* event of the operation just done */
	uint32_t point;  /* event that came next */
	uint64_t prefix; /* class of what was done so far */
};

/* `ranked` holds the living only, so its room is asked for by the number of all threads, not by its length. */
static int room_for_thread(struct cvt *s, uint32_t thread)
{
	void *ranked = s->ranked;
	int r = vtb_array_reserve(&ranked, &s->cap_ranked, thread + 1u, sizeof(*s->ranked));

	s->ranked = ranked;
	while (r >= 0 && s->n_done <= thread) {
		if (vtb_array_room(s, done) < 0 || vtb_array_room(s, entry) < 0)
			return -ENOMEM;
		s->entry[s->n_entry++] = CVT_NONE;
		s->done[s->n_done++] = 0;
	}
	return r;
}

/* Who has which place in the list after all of the item's demotions. */
static void find_entries(struct cvt *s)
{
	uint32_t fragment = 0;

	for (size_t t = 0; t < s->n_entry; t++)
		s->entry[t] = CVT_NONE;
	for (uint32_t i = 0; i < s->n_list; i++)
		if (!(s->list[i] & VTB_RANK_FRAGMENT_BIT))
			s->entry[s->list[i]] = i;
	for (size_t k = 1; k < s->n_chain; k++) {
		const struct cvt_item *item = &s->items[s->chain[k]];

		if (!cvt_has_fragment(item))
			continue;
		for (uint32_t i = 0; i < s->n_list; i++)
			if (s->list[i] == (fragment | VTB_RANK_FRAGMENT_BIT))
				s->entry[cvt_owner(item)] = i;
		fragment++;
	}
}

/* All threads, best first; those without an entry come last, in order of creation. */
static void rank_threads(struct cvt *s, uint32_t n_threads)
{
	s->n_ranked = 0;
	for (uint32_t t = 0; t < n_threads; t++) {
		size_t i = s->n_ranked++;

		for (; i > 0 && s->entry[s->ranked[i - 1]] > s->entry[t]; i--)
			s->ranked[i] = s->ranked[i - 1];
		s->ranked[i] = t;
	}
}

static void forget_thread(struct cvt *s, uint32_t thread)
{
	size_t to = 0;

	for (size_t i = 0; i < s->n_ranked; i++)
		if (s->ranked[i] != thread)
			s->ranked[to++] = s->ranked[i];
	s->n_ranked = to;
}

/* What decides the rest of the run: the class so far, the relative order of those who live (with `thread` as a new
 * fragment at `place`), the variables charged; of a random order also where later fragments will be drawn: its number.
 */
static uint64_t prune_key(const struct branch *b, uint32_t thread, uint32_t place, uint32_t var, bool costs)
{
	const struct cvt *s = b->s;
	uint64_t key = b->prefix, charged = costs && !cvt_charged(s, b->id, var) ? vtb_mix64(var + 1ull) : 0;
	bool placed = false;

	for (size_t i = 0; i < s->n_ranked; i++) {
		const uint32_t t = s->ranked[i];

		if (t == thread)
			continue;
		if (!placed && thread != CVT_NONE && s->entry[t] >= place) {
			key = vtb_mix64(key * 31 + thread + 1);
			placed = true;
		}
		key = vtb_mix64(key * 31 + t + 1);
	}
	if (!placed && thread != CVT_NONE)
		key = vtb_mix64(key * 31 + thread + 1);
	for (uint32_t i = b->id; s->items[i].parent != CVT_NONE; i = s->items[i].parent)
		if (s->items[i].costs && !cvt_charged(s, s->items[i].parent, s->items[i].var))
			charged += vtb_mix64(s->items[i].var + 1ull);
	if (!cvt_cast(s, b->id)->enumerate)
		key ^= vtb_mix64(s->items[b->id].order + 1ull);
	if (cvt_cast(s, b->id)->n_top < cvt_cast(s, b->id)->n) /* who takes part decides what comes of it */
		key ^= vtb_mix64(s->items[b->id].cast + (1ull << 40));
	return vtb_mix64(key ^ charged);
}

/* By the bound on l, or by the focus. */
static bool left_out(struct cvt *s, const struct cvt_item *item, uint32_t loop, const struct vtb_event *at)
{
	const bool late = loop > s->max_l, outside = item->costs && at && !vtb_focus_allows(s->space, at);

	s->cut_l |= late;
	s->cut_focus |= outside;
	return late || outside;
}

/* `item` says what, after whom, charged to what; `at` is what a focus is asked about, NULL: it allows it; `salt` tells
 * chances at one point apart. */
static int put_item(const struct branch *b, struct cvt_item item, const struct vtb_event *at, uint64_t salt)
{
	struct cvt *s = b->s;
	const struct cvt_item *parent = &s->items[b->id];
	const uint32_t loop = item.costs ? cvt_loop(s, item.var) : 0;
	int64_t id;

	item.parent = b->id;
	item.beyond |= parent->beyond;
	item.late = item.late > parent->late ? item.late : parent->late;
	item.order = parent->order;
	item.cast = parent->cast;
	item.point = b->point;
	item.index = s->done[item.after];
	item.counts |= item.costs;
	item.c = (uint8_t)(parent->c + item.costs);
	item.v = (uint8_t)(parent->v + (item.costs && !cvt_charged(s, b->id, item.var)));
	item.stops = (uint8_t)(parent->stops + item.counts);
	item.places = (uint8_t)(parent->places + (item.counts && !cvt_counted(s, b->id, item.var)));
	item.beyond |= item.stops > s->max_c || item.places > s->max_v;
	item.l = (uint8_t)(loop > parent->l ? loop : parent->l);
	if (item.costs && s->space->opts->dynamic && parent->c >= s->max_v && !cvt_charged(s, b->id, item.var))
		return 0; /* the first v stops have chosen */
	if (item.c > s->max_c || item.v > s->max_v || left_out(s, &item, loop, at))
		return 0;
	item.key =
	    prune_key(b, cvt_has_fragment(&item) ? cvt_owner(&item) : CVT_NONE, item.place, item.var, item.costs);
	if (salt)
		item.key = vtb_mix64(item.key + vtb_mix64(salt));
	id = cvt_take_item(s);
	if (id == -VTB_E_LIMIT) {
		cvt_drop(s, item.c); /* its stops are no fewer */
		return 0;
	}
	if (id < 0)
		return (int)id;
	s->items[id] = item;
	s->items[b->id].children++;
	return cvt_push(s, (uint32_t)id);
}

/* More than the bound allows: nothing comes of it. */
static bool is_too_much(const struct branch *b, bool costs)
{
	return costs && b->s->items[b->id].c >= b->s->max_c;
}

/* Does the thread go on after the operation by which it has let another one go on? A birth is none: orders begin there.
 */
static bool hands_over(const struct branch *b)
{
	return b->x->events[b->point].thread == b->x->events[b->before].thread &&
	       b->x->events[b->before].kind != VTB_E_THREAD_CREATE;
}

/* `lowest`: below everybody who lives. With t = 2 other places, and free demotions that are no hand-overs, are beyond
 * what two threads need. */
static int add_item(const struct branch *b, uint32_t place, bool costs, bool lowest)
{
	const struct vtb_event *e = &b->x->events[b->before];
	const bool pairs = b->s->space->opts->t <= 2, counts = costs || (pairs && lowest && hands_over(b));
	struct cvt_item item = {
		.kind = VTB_DEV_DEMOTE,
		.after = e->thread,
		.var = e->var,
		.place = (uint16_t)place,
		.costs = costs,
		.counts = counts,
		.beyond = pairs && !(lowest && counts),
		.reads = !vtb_event_is(e, VTB_EV_WRITES),
	};

	if (is_too_much(b, costs))
		return 0;
	return cvt_judge(b->s, b->x, b->before, b->point, &item) < 0 ? -ENOMEM : put_item(b, item, e, 0);
}

static bool is_rest(const struct branch *b, uint32_t thread)
{
	return cvt_is_rest(cvt_cast(b->s, b->id), thread);
}

/* What time or chance could do: all in the list, after the operations that `thread` has done. */
static int add_chances(const struct branch *b, uint32_t thread)
{
	struct cvt *s = b->s;
	const uint64_t how = (uint64_t)b->x->events[b->point].deviation << 56 | (uint64_t)thread << 40;
	int r = 0;

	for (size_t k = 0; r >= 0 && k < s->chances.n_list; k++) {
		const struct vtb_chance *c = &s->chances.list[k];
		struct cvt_item item = { .kind = c->kind, .after = (uint16_t)thread, .var = c->var, .costs = true };

		s->kinds |= 1u << c->kind;
		if (is_rest(b, vtb_deviation_wakes(c->kind) ? c->target : thread))
			continue;
		if (c->kind == VTB_DEV_WAITER) {
			item.place = (uint16_t)c->target;
		} else if (c->kind != VTB_DEV_CAS_FAIL) {
			item.target = (uint16_t)c->target;
			item.next = s->done[c->target] + 1;
		}
		r = put_item(b, item, vtb_focus_allows_chance(s->space, &b->x->events[b->before], c) ? NULL : &c->at,
		             how | (uint64_t)c->kind << 32 | c->target);
	}
	return r;
}

/* Chances around event `point`; the item's own choice was made at event `own`. */
static int chances_around(const struct branch *b, uint32_t own)
{
	struct vtb_chances *c = &b->s->chances;
	const struct cvt_item *item = &b->s->items[b->id];
	int r = 0;

	if (!c->any)
		return 0;
	if (b->point > own) {
		r = vtb_chances_before(c, b->point);
		if (r >= 0)
			r = add_chances(b, b->x->events[b->before].thread);
	}
	if (r >= 0 && (b->point > own || item->parent == CVT_NONE || (b->point == own && cvt_has_fragment(item)))) {
		r = vtb_chances_of(c, b->point);
		if (r >= 0)
			r = add_chances(b, b->x->events[b->point].thread);
	}
	return r;
}

/* Where everybody waits, somebody might still wake without a signal. */
static int chances_at_end(const struct branch *b)
{
	int r;

	if (!vtb_chances_at_end(b->x))
		return 0;
	r = vtb_chances_before(&b->s->chances, b->point);
	return r < 0 ? r : add_chances(b, b->x->events[b->before].thread);
}

static size_t rank_of(const struct cvt *s, uint32_t thread)
{
	size_t i = 0;

	while (i < s->n_ranked && s->ranked[i] != thread)
		i++;
	return i;
}

/* Every place below p at which its standing among the living differs, from rank `from` on. */
static int add_places(const struct branch *b, size_t from, bool costs)
{
	const struct cvt *s = b->s;
	int r = 0;

	for (size_t i = is_too_much(b, costs) ? s->n_ranked : from; r >= 0 && i < s->n_ranked; i++)
		if (s->entry[s->ranked[i]] != CVT_NONE &&
		    !(i + 1 < s->n_ranked && is_rest(b, s->ranked[i]) && is_rest(b, s->ranked[i + 1])))
			r = add_item(b, s->entry[s->ranked[i]] + 1, costs, i + 1 == s->n_ranked);
	return r;
}

/* The place that the random order has for its next fragment, if p gives way to rank `next` there. The two orders that
 * are not random put it last: any two threads come in the wanted order in one of them, so whatever two threads and one
 * stop can do is among their items, however many threads there are. A switch that turns out to be free counts here like
 * any other, as in Algorithm 1: with many threads the free ones alone (at every birth, at every unlock that somebody
 * waits for) would be more than can be run. */
static int add_drawn(const struct branch *b, size_t next)
{
	const struct cvt *s = b->s;
	const struct cvt_item *item = &s->items[b->id];
	const uint64_t seed = vtb_mix64(s->space->opts->seed + item->order + 1);
	const struct cvt_cast *cast = cvt_cast(s, b->id);
	const uint32_t rest = cast->n - cast->n_top, more = rest > 1 ? rest - 1 : 0; /* the rest count as one */
	uint32_t place = item->order < 2 ? (uint32_t)s->n_list - more
	                                 : vtb_order_place((uint32_t)s->n_list - more, s->n_chain, seed);

	if (place > s->rest_at)
		place += more;

	if (s->entry[s->ranked[next]] == CVT_NONE || place <= s->entry[s->ranked[next]])
		return 0; /* it stays on top: nothing changes */
	return add_item(b, place, true, place == s->n_list);
}

static size_t next_enabled(const struct branch *b, size_t rank)
{
	const struct cvt *s = b->s;

	while (rank < s->n_ranked && !vtb_exec_enabled(b->x, b->point, s->ranked[rank]))
		rank++;
	return rank;
}

/* The point before event `point`. */
static int branch_at(const struct branch *b)
{
	const struct cvt *s = b->s;
	const uint32_t p = b->x->events[b->before].thread;
	const size_t rank = rank_of(s, p);
	size_t next;

	if (rank >= s->n_ranked || s->entry[p] == CVT_NONE || is_rest(b, p))
		return 0; /* it has ended, or is never stopped */
	if (b->x->events[b->point].thread !=
	    p) /* it does not go on anyway: what comes later may depend on its standing */
		return cvt_cast(s, b->id)->enumerate ? add_places(b, rank + 1, false) : 0;
	next = next_enabled(b, rank + 1);
	if (next >= s->n_ranked)
		return 0;
	if (cvt_cast(s, b->id)->enumerate)
		return add_places(b, next, vtb_exec_enabled(b->x, b->before, s->ranked[next]));
	return add_drawn(b, next);
}

static bool followed(const struct cvt *s, uint32_t id, const struct vtb_exec *x)
{
	const struct cvt_item *item = &s->items[id];

	if (item->parent == CVT_NONE)
		return x->n_events > 0;
	return item->point < x->n_events &&
	       (item->kind == VTB_DEV_DEMOTE || x->events[item->point].deviation == item->kind);
}

int cvt_branch(struct cvt *s, uint32_t id, const struct vtb_exec *x)
{
	const uint32_t own = s->items[id].parent == CVT_NONE ? 0 : s->items[id].point;
	struct branch b = { .s = s, .id = id, .x = x };
	int r = cvt_list(s, id);

	if (r >= 0 && !followed(s, id, x)) {
		s->diverged++;
		return 0;
	}
	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		if (x->events[i].thread >= s->n_done)
			r = room_for_thread(s, x->events[i].thread);
	if (r >= 0 && cvt_cast(s, id)->n)
		r = room_for_thread(s, cvt_cast(s, id)->n - 1u);
	if (r < 0)
		return r;
	memset(s->done, 0, s->n_done * sizeof(*s->done));
	find_entries(s);
	rank_threads(s, (uint32_t)s->n_done);
	vtb_chances_begin(&s->chances, x);
	visits_begin(&s->visits);
	s->looked = false;
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		b.point = i;
		if (e->kind == VTB_E_FAIL && i > own)
			r = chances_at_end(&b);
		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL)
			continue;
		if (i > own)
			r = branch_at(&b);
		if (r >= 0)
			r = chances_around(&b, own);
		if (r >= 0)
			r = vtb_chances_feed(&s->chances, i);
		b.prefix = s->space->prefix[i];
		s->done[e->thread]++;
		if (r >= 0)
			r = visits_add(&s->visits, e->site, e->var);
		b.before = i;
		if (e->kind == VTB_E_THREAD_END)
			forget_thread(s, e->thread);
	}
	return r;
}
