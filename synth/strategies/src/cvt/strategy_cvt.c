/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cvt: iterative context bounding with priorities, variables and threads bounded ([CVT13],
 * algorithm 1; docs/algorithms.md, "Order of the search").
 *
 * A schedule is a priority order of the threads and demotions: at a point the running thread becomes a new fragment
 * with a lower rank. Work items wait in one queue, sorted by (l, c, v), then so that variables shared by threads come
 * before others and rare before frequent ones: the two queues of [CVT13], and its loops over V, without running
 * anything twice.
 *
 * With `dynamic` (VT-CHESS in [CVT13]) there is no loop over V: the first v stops of a schedule choose the variables,
 * and later ones may only sit at those.
 *
 * Small programs: all orders and all places of a fragment. Large ones: as many random orders as Lemma 4.1 asks for; a
 * fragment's place in a random order is drawn when it is needed, which leaves the order uniformly random.
 *
 * Two threads. Whatever two threads and c stops can do is among the schedules that begin with one of two opposite
 * orders and put whoever is stopped below everybody: one is stopped, the other goes on until it is stopped in its turn,
 * and the rest runs somewhere. With t = 2 these come first, for all c; what else orders and places can do is *beyond*
 * and comes after them.
 *
 * Free demotions. A static order cannot express every schedule of a given c: a thread that just woke another and goes
 * on first, then gives way at the next wake-up, has not been preempted and yet changes its rank. For small programs
 * such demotions (cost 0) are tried after the schedules of [CVT13] of the same (c, v), so that nothing within c is
 * missed.
 *
 * Hand-overs. Who stops right after it has let another one go on (at an unlock that somebody waits for) has not been
 * preempted, but what two threads do between two critical sections begins there as it does after any other stop. With t
 * = 2 such a demotion counts as a stop in the order of search (`stops`, `places`), not in c and v.
 *
 * Other deviations. Whom time or chance wakes becomes a new fragment above all others, so that it costs no more than
 * that.
 *
 * Symmetric threads (see symmetry.h): of each class at most t take part; the rest come last, in order of creation, and
 * are never stopped. Where there is such a class, orders of *one* thread of each class come first (see cvt_level()):
 * what another of its class does in time can hide what the first has left half done.
 *
 * Pruning by prefix: an item whose class of the run up to its last demotion, relative order of what lives after, and
 * charged variables were met with as few deviations before is dropped (see prune_key); not with `exhaust`.
 */
#include "strategy_cvt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/orders.h"
#include "vtb/rng.h"

#define FIXED_ORDERS 2u      /* are not random: the lemma's come on top of them */
#define FEW_THREADS 4u       /* main included: all 24 orders are tried at c = 0 already */
#define BASES_MAX (1u << 20) /* priority orders at once; what the lemma asks for beyond is counted as dropped */

/* ---- priority orders */

static int push_base(struct cvt *s, uint32_t cast, uint32_t order, uint32_t c)
{
	int64_t id = cvt_take_item(s);

	if (id == -VTB_E_LIMIT) {
		cvt_drop(s, c);
		return 0;
	}
	if (id < 0)
		return (int)id;
	s->items[id] = (struct cvt_item){
		.parent = CVT_NONE,
		.kind = VTB_DEV_DEMOTE,
		.order = order,
		.cast = cast,
		.key = vtb_mix64(order + ((uint64_t)cast << 40)),
		.c = (uint8_t)c,
		.v = c > 0,
		.stops = (uint8_t)c,
		.places = c > 0,
		.beyond = order > 1 && s->space->opts->t <= 2,
	};
	return cvt_push(s, (uint32_t)id);
}

static uint64_t orders_for(const struct cvt *s, const struct cvt_cast *cast, uint32_t c)
{
	const struct vtb_search_opts *opts = s->space->opts;
	const uint32_t n = cast->n_top, t = opts->t < n ? opts->t : n;
	const uint64_t needed = vtb_orders_needed(n, t, c, n > 2, opts->epsilon);

	if (!cast->enumerate && c > 0)
		return needed < UINT64_MAX - FIXED_ORDERS ? needed + FIXED_ORDERS : needed;
	if (cast->enumerate)
		return c == 0 && needed < vtb_factorial(n) && n > FEW_THREADS ? needed : vtb_factorial(n);
	return needed;
}

/* The orders that level c needs and the levels below did not. They run without deviations; what they are for comes
 * after. */
static int push_cast(struct cvt *s, uint32_t id, uint32_t c)
{
	struct cvt_cast *cast = &s->casts[id];
	const uint64_t wanted = orders_for(s, cast, c);
	int r = 0;

	for (; r >= 0 && cast->bases < wanted && cast->bases < BASES_MAX; cast->bases++)
		r = push_base(s, id, (uint32_t)cast->bases, c);
	if (wanted > cast->bases) {
		s->dropped += wanted - cast->bases;
		s->whole_orders = c < s->whole_orders ? c : s->whole_orders;
	}
	return r;
}

static int push_bases(struct cvt *s, uint32_t c)
{
	int r = s->solo ? push_cast(s, s->team - 1, c) : 0;

	return r >= 0 ? push_cast(s, s->team, c) : r;
}

/* A run has shown more threads than the orders rank, or told some apart: begin again with orders of all of them. */
static int more_threads(struct cvt *s)
{
	int r = cvt_recast(s);

	if (r <= 0)
		return r;
	for (uint32_t c = 0; r >= 0 && c < s->based; c++)
		r = push_bases(s, c);
	return r;
}

/* ---- proposing */

/* The orders of level c must be in the queue before its items are taken. */
static int open_level(struct cvt *s)
{
	int r = 0;

	while (r >= 0 && s->based <= s->max_c) {
		const uint64_t top = s->queue.n_rows ? vtb_heap_top(&s->queue)->key : UINT64_MAX;

		if (top >> CVT_KEY_BEYOND == 0 &&
		    s->based > CVT_KEY_FIELD(top, CVT_KEY_C, CVT_KEY_C_BITS)) /* l > 0, or beyond: above all levels */
			break;
		r = push_bases(s, s->based++);
	}
	return r;
}

/* Drop the item if what it leads to was or will be seen without more deviations. */
static int is_pruned(struct cvt *s, uint32_t id)
{
	uint64_t *met;
	int r;

	if (s->space->opts->exhaust || s->items[id].reopened)
		return 0;
	r = vtb_bounded_map_add(&s->keys, s->items[id].key, s->items[id].c, &met);
	if (r < 0 || !met)
		return r;
	if (*met <= s->items[id].c)
		return 1;
	*met = s->items[id].c;
	return 0;
}

static void discard(struct cvt *s, uint32_t id)
{
	s->items[id].run = true;
	cvt_free_item(s, id);
	s->pruned++;
}

static bool below_limit(const struct cvt *s, uint32_t id)
{
	const struct cvt_item *item = &s->items[id];

	return item->c < s->space->below_c || (item->c == s->space->below_c && item->v < s->space->below_v);
}

static int first_run(struct cvt *s, struct vtb_plan *plans)
{
	int r;

	s->started = true;
	r = cvt_first_cast(s);
	if (r >= 0)
		r = push_base(
		    s, 0, 0,
		    0); /* the cast is empty: everybody in order of creation. It shows which threads there are */
	if (r < 0)
		return r;
	plans[0].ticket = vtb_heap_pop(&s->queue);
	r = cvt_schedule(s, (uint32_t)plans[0].ticket, &plans[0].schedule);
	return r < 0 ? r : 1;
}

/* The schedule just written: deviations other than demotions. */
static bool takes_chances(const struct cvt *s)
{
	for (size_t i = 1; i < s->n_chain; i++)
		if (s->items[s->chain[i]].kind != VTB_DEV_DEMOTE)
			return true;
	return false;
}

static int64_t cvt_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct cvt *s = state;
	uint64_t level = UINT64_MAX;
	size_t n = 0;
	int r = 0;

	if (!s->started)
		return first_run(s, plans);
	r = cvt_take_back(s);
	while (r >= 0 && n < max) {
		uint32_t id;

		r = open_level(s);
		if (r < 0 || !s->queue.n_rows || (n && CVT_KEY_LEVEL(vtb_heap_top(&s->queue)->key) != level))
			break;
		level = CVT_KEY_LEVEL(vtb_heap_top(&s->queue)->key);
		id = vtb_heap_pop(&s->queue);
		if (cvt_is_idle(s, id)) {
			r = cvt_put_by(s, id);
			continue;
		}
		r = below_limit(s, id) ? is_pruned(s, id) : 1;
		if (r == 0) {
			r = cvt_schedule(s, id, &plans[n].schedule);
			cvt_offer(s, id, &plans[n]);
			plans[n].loose =
			    takes_chances(s); /* a run may end before whom it woke comes to its next point */
			plans[n++].ticket = id;
		} else if (r > 0) {
			discard(s, id);
		}
	}
	return r < 0 ? r : (int64_t)n;
}

static int cvt_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct cvt *s = state;
	const uint32_t id = (uint32_t)ticket;
	int r;

	if (x->partial)
		return cvt_reopen_later(s, id);
	r = matters_learn(s->space, x, new_class);
	r = r < 0 ? r : cvt_branch(s, id, x);
	if (r >= 0)
		r = cvt_keep_past(s, id, x);
	if (r >= 0)
		r = cvt_learn_symmetry(s, x);
	s->items[id].run = true;
	cvt_free_item(s, id);
	return r < 0 ? r : more_threads(s);
}

/* ---- what it can say */

/* Below how many preemptions is everything done that two threads need, and below how many all that orders of more ask
 * for? */
struct levels {
	uint32_t pairs, orders;
};

/* Levels of the search of [CVT13] that lie behind the queue's top: what begins with a free demotion and goes unnoticed
 * comes after them. */
static uint32_t levels_behind(const struct cvt *s, uint64_t top)
{
	const uint32_t level = CVT_KEY_FIELD(top, CVT_KEY_C, CVT_KEY_C_BITS);
	const uint32_t c = cvt_level_c(&s->casts[s->team], level), v = CVT_KEY_FIELD(top, CVT_KEY_V, 4);
	const bool last = top >> CVT_KEY_FREE & top >> CVT_KEY_DULL & 1;
	const uint32_t behind = last && v >= (c < s->max_v ? c : s->max_v) ? level + 1 : level;
	uint32_t n = 0;

	while (n <= s->max_c && cvt_level(&s->casts[s->team], n) < behind)
		n++;
	return n;
}

static struct levels levels_run(const struct cvt *s)
{
	const uint32_t all = s->max_c + 1;
	uint64_t top;

	if (!s->queue.n_rows)
		return (struct levels){ all, all };
	top = vtb_heap_top(&s->queue)->key;
	if (top >> CVT_KEY_L)
		return (struct levels){ all, all };
	if (top >> CVT_KEY_BEYOND)
		return (struct levels){ all, levels_behind(s, top) };
	if (s->space->opts->t <= 2)
		return (struct levels){ levels_behind(s, top), 0 };
	return (struct levels){ levels_behind(s, top), levels_behind(s, top) };
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A level is finished if it was begun (its orders were queued), nothing of it is left in the queue, and nothing of it
 * or below was left out: for want of memory, because only lower ones are wanted now, or with the rest of a run that was
 * stopped. */
static struct levels finished_levels(const struct cvt *s)
{
	struct levels done = s->started && !s->diverged ? levels_run(s) : (struct levels){ 0, 0 };
	uint32_t most = least_of(s->based, s->whole);

	most = least_of(most, s->space->below_c);
	most = s->space->cut ? least_of(most, s->space->cut_at.c) : most;
	done.pairs = least_of(done.pairs, most);
	done.orders = least_of(done.orders, least_of(most, s->whole_orders));
	return done;
}

static void describe(const struct cvt *s, const struct levels *done, struct vtb_claim *ret)
{
	const uint32_t t = s->space->opts->t < s->n ? s->space->opts->t : s->n;
	struct vtb_bounded_text text = { ret->text, sizeof(ret->text), 0 };
	char symmetric[160];

	ret->text[0] = '\0';
	if (!done->pairs) {
		vtb_bounded_text_add(&text, "no level of the bounded search was completed");
		return;
	}
	vtb_bounded_text_add(&text, "%u threads ran in two opposite priority orders, ", s->n);
	if (done->pairs == 1)
		vtb_bounded_text_add(&text, "without preemptions");
	else
		vtb_bounded_text_add(
		    &text, "each with every choice of c < %u preemptions after which who is preempted comes last",
		    done->pairs);
	cvt_say_places(s, done->pairs, &text);
	cvt_symmetry_words(s, symmetric, sizeof(symmetric));
	if (done->orders && s->casts[s->team].enumerate)
		vtb_bounded_text_add(&text, "; in all priority orders with c < %u", done->orders);
	else if (done->orders && t > 2)
		vtb_bounded_text_add(
		    &text, "; with probability >= %g every order of every %u with c < %u (Lemma 4.1, %llu orders)",
		    1 - s->space->opts->epsilon, t, done->orders, (unsigned long long)s->casts[s->team].bases);
	vtb_bounded_text_add(&text, "%s%s", symmetric[0] ? ", " : "", symmetric);
	if (done->pairs > 1)
		cvt_say_source(s, &text);
}

static void cvt_claim(const void *state, struct vtb_claim *ret)
{
	const struct cvt *s = state;
	const struct levels done = finished_levels(s);

	*ret = (struct vtb_claim){ .exhausted = s->started && !s->queue.n_rows && s->based > s->max_c,
		                   .dropped = s->dropped,
		                   .explored = s->kinds };
	if (s->n_casts && !s->casts[s->team].enumerate && s->space->opts->t > 2)
		ret->probability = s->space->opts->epsilon;
	ret->symmetric = s->n_casts ? s->casts[s->team].n - s->casts[s->team].n_top : 0;
	ret->orders_c = s->n_idle ? 0 : s->space->opts->t <= 2 ? done.pairs : done.orders; /* v can be lower */
	ret->orders_v = s->max_v;
	ret->least = done.pairs > 0;
	describe(s, &done, ret);
}

static void cvt_end(void *state)
{
	struct cvt *s = state;

	for (size_t i = 0; i < s->n_items; i++)
		cvt_forget_past(&s->items[i]);
	vtb_heap_fini(&s->queue);
	vtb_bounded_map_fini(&s->keys);
	vtb_bounded_map_fini(&s->learnt);
	free(s->items);
	free(s->idle);
	free(s->list);
	free(s->entry);
	free(s->ranked);
	free(s->done);
	free(s->chain);
	vtb_chances_fini(&s->chances);
	cvt_worth_fini(s);
	vtb_symmetry_fini(&s->symmetry);
	cvt_casts_fini(s);
	free(s);
}

static int cvt_begin(const struct vtb_space *space, void **ret_state)
{
	const struct vtb_search_opts *opts = space->opts;
	struct cvt *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->space = space;
	s->free_items = CVT_NONE;
	s->whole = s->whole_orders = CVT_NONE;
	s->max_c = opts->c < CVT_LEVELS ? opts->c : CVT_LEVELS - 1;
	s->max_v = opts->v < s->max_c ? opts->v : s->max_c;
	s->max_l = opts->l < CVT_LEVELS ? opts->l : CVT_LEVELS - 1;
	s->limit = opts->memory / (sizeof(struct cvt_item) + sizeof(struct vtb_heap_row));
	s->limit = s->limit < CVT_NONE ? s->limit : CVT_NONE - 1;
	*ret_state = s;
	return 0;
}

const struct vtb_strategy vtb_strategy_cvt = {
	.name = "cvt",
	.help =
	    "bounded by deviations, variables and threads: priority orders and demotions, rare shared variables first",
	.can = VTB_STRATEGY_FOCUS | VTB_STRATEGY_STRETCHES | VTB_STRATEGY_PREDICATE | VTB_STRATEGY_PAST,
	.begin = cvt_begin,
	.next = cvt_next,
	.feedback = cvt_feedback,
	.claim = cvt_claim,
	.end = cvt_end,
};
