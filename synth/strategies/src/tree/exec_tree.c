/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exec_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/focus.h"
#include "vtb/rng.h"
#include "vtb/state_set.h"
#include "vtb/stop.h"

#define LOOK_EVERY 64u /* events: at the clock */

void vtb_tree_init(struct vtb_tree *t, const struct vtb_space *space, bool once)
{
	*t = (struct vtb_tree){ .space = space, .free_nodes = VTB_NO_NODE, .aside = VTB_NO_NODE, .once = once };
	t->max_c = space->opts->c < VTB_SEARCH_C_MAX ? space->opts->c : VTB_SEARCH_C_MAX;
	t->max_v = space->opts->v < t->max_c ? space->opts->v : t->max_c;
	t->limit = space->opts->memory / sizeof(struct vtb_tree_node);
	t->limit = t->limit < VTB_NO_NODE ? t->limit : VTB_NO_NODE - 1;
}

void vtb_tree_fini(struct vtb_tree *t)
{
	if (!t->file.at)
		free(t->nodes);
	vtb_tree_file_close(&t->file);
	free(t->done);
	vtb_chances_fini(&t->chances);
	vtb_bounded_map_fini(&t->met);
	*t = (struct vtb_tree){ .free_nodes = VTB_NO_NODE, .aside = VTB_NO_NODE };
}

/* ---- nodes */

bool vtb_tree_charged_before(const struct vtb_tree *t, uint32_t id, uint32_t var)
{
	for (uint32_t i = t->nodes[id].preempt; i != VTB_NO_NODE;) {
		if (t->nodes[i].var == var)
			return true;
		i = t->nodes[i].parent == VTB_NO_NODE ? VTB_NO_NODE : t->nodes[t->nodes[i].parent].preempt;
	}
	return false;
}

int vtb_tree_build(struct vtb_tree *t, uint32_t id, struct vtb_schedule *s)
{
	uint32_t n = 0, i;
	int r = 0;

	s->policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	for (i = id; t->nodes[i].parent != VTB_NO_NODE; i = t->nodes[i].parent)
		n++;
	t->touched += n;
	for (uint32_t k = 0; r >= 0 && k < n; k++)
		r = vtb_schedule_deviate(s, 0, 0, VTB_DEV_SWITCH, 0, VTB_NONE, 0);
	if (r < 0)
		return r;
	for (i = id; t->nodes[i].parent != VTB_NO_NODE; i = t->nodes[i].parent) {
		struct vtb_deviation *dev = &s->deviations[--n];

		dev->after.thread = t->nodes[i].after;
		dev->after.index = t->nodes[i].index;
		dev->kind = (enum vtb_deviation_kind)t->nodes[i].kind;
		dev->target = t->nodes[i].target;
		dev->var = t->nodes[i].var == VTB_CHANCE_CLOCK ? VTB_NONE : t->nodes[i].var;
		dev->cost = t->nodes[i].costs;
	}
	s->tuple = (struct vtb_tuple){ .c = t->nodes[id].c, .v = t->nodes[id].v };
	return 0;
}

int64_t vtb_tree_root(struct vtb_tree *t)
{
	const int64_t root = vtb_tree_take_node(t);

	if (root >= 0)
		t->nodes[root] =
		    (struct vtb_tree_node){ .parent = VTB_NO_NODE, .preempt = VTB_NO_NODE, .kind = VTB_DEV_SWITCH };
	return root;
}

/* Along a run, adding what could have gone otherwise. */
struct walk {
	struct vtb_tree *t;
	const struct vtb_exec *x;
	vtb_tree_added *added;
	void *data;
	bool whole;        /* all operations of the run are told */
	bool again;        /* the free children are there already */
	uint32_t ops;      /* operations of the run so far */
	uint64_t progress; /* how far each thread is: a hash */
	uint32_t left;     /* children that cost, left for when it is told whole */
};

static int64_t take_node(struct vtb_tree *t)
{
	const int64_t id = vtb_tree_take_node(t);

	if (id != -VTB_E_LIMIT || t->aside == VTB_NO_NODE)
		return id;
	vtb_tree_forget_aside(t);
	return vtb_tree_take_node(t);
}

/* To be run, if it leads to where no other choice has led. */
static int keep(struct walk *w, uint32_t id, uint32_t row)
{
	struct vtb_tree *t = w->t;
	bool met = false;
	int r = 0;

	if (t->once && t->nodes[id].kind == VTB_DEV_SWITCH) /* row 0 has no choice before it */
		r = vtb_tree_meets(t, id, t->space->prefix[row - 1] + w->progress, &met);
	if (r < 0)
		return r;
	if (!met)
		return w->added(w->data, id, w->x, row);
	vtb_tree_put_aside(t, id);
	return 0;
}

/* The child that makes this choice after the operation it names; `at` is what a focus is asked about; NULL: it allows
 * it. */
static int add_child(struct walk *w, uint32_t parent, struct vtb_tree_node choice, uint32_t row,
                     const struct vtb_event *at)
{
	struct vtb_tree *t = w->t;
	const struct vtb_tree_node *p = &t->nodes[parent];
	const uint32_t c = p->c + choice.costs;
	uint32_t v = p->v;
	int64_t id;

	if (c > t->max_c) {
		t->cut_c = true;
		return 0;
	}
	if (choice.costs ? !w->whole : w->again) {
		w->left += choice.costs;
		return 0;
	}
	if (choice.costs && at && !vtb_focus_allows(t->space, at)) {
		t->cut_focus = true;
		return 0;
	}
	if (choice.costs && !vtb_tree_charged_before(t, parent, choice.var) && ++v > t->max_v) {
		t->cut_v = true;
		return 0;
	}
	id = take_node(t);
	if (id == -VTB_E_LIMIT) {
		t->dropped++;
		return 0;
	}
	if (id < 0)
		return (int)id;
	choice.parent = parent;
	choice.point = w->ops;
	choice.index = t->done[choice.after];
	choice.c = (uint8_t)c;
	choice.v = (uint8_t)v;
	choice.preempt = choice.costs ? (uint32_t)id : t->nodes[parent].preempt;
	t->nodes[id] = choice;
	t->nodes[parent].children++;
	return keep(w, (uint32_t)id, row);
}

/* ---- learning */

static int room_for_threads(struct vtb_tree *t, const struct vtb_exec *x)
{
	if (vtb_array_extend(t, done, 64ull * x->stride, 0) < 0)
		return -ENOMEM;
	memset(t->done, 0, t->n_done * sizeof(*t->done));
	return 0;
}

/* What time or chance could do at this point, or to event i. */
static int branch_by_chance(struct walk *w, uint32_t id, const struct vtb_event *before, uint32_t thread, uint32_t i)
{
	struct vtb_tree *t = w->t;
	int r = 0;

	for (size_t k = 0; r >= 0 && k < t->chances.n_list; k++) {
		const struct vtb_chance *c = &t->chances.list[k];

		t->kinds |= 1u << c->kind;
		r = add_child(w, id,
		              (struct vtb_tree_node){ .var = c->var,
		                                      .after = (uint16_t)thread,
		                                      .target = (uint16_t)c->target,
		                                      .kind = c->kind,
		                                      .costs = true },
		              i, vtb_focus_allows_chance(t->space, before, c) ? NULL : &c->at);
	}
	return r;
}

/* Every other thread that could have gone on before event i, after event `before`. */
static int branch_at(struct walk *w, uint32_t id, const struct vtb_exec *x, uint32_t before, uint32_t i)
{
	const struct vtb_event *e = &x->events[before];
	const uint32_t p = e->thread;
	const bool goes_on = vtb_exec_enabled(x, i, p);

	for (uint32_t word = 0; word < x->stride; word++)
		for (uint64_t bits = x->enabled[(size_t)i * x->stride + word]; bits; bits &= bits - 1) {
			const uint32_t q = word * 64 + (uint32_t)__builtin_ctzll(bits);
			const bool costs = q != p && goes_on && vtb_exec_enabled(x, before, q);
			int r;

			if (q == x->events[i].thread)
				continue;
			r = add_child(w, id,
			              (struct vtb_tree_node){ .var = e->var,
			                                      .after = (uint16_t)p,
			                                      .target = (uint16_t)q,
			                                      .kind = VTB_DEV_SWITCH,
			                                      .costs = costs },
			              i, e);
			if (r < 0)
				return r;
		}
	return 0;
}

/* All choices around event i that are new in this run: its own choice was made where `point` operations were done. */
static int branch_around(struct walk *w, uint32_t id, const struct vtb_exec *x, uint32_t before, uint32_t i)
{
	struct vtb_tree *t = w->t;
	const struct vtb_tree_node *n = &t->nodes[id];
	const uint32_t own = n->point;
	const bool root = n->parent == VTB_NO_NODE, chosen = w->ops == own && !vtb_tree_changes_operation(n);
	int r = 0;

	if (w->ops > own)
		r = vtb_chances_before(&t->chances, i);
	if (r >= 0 && w->ops > own && !(t->sure && vtb_sure_is(t->sure, i))) {
		r = branch_by_chance(w, id, &x->events[before], x->events[before].thread, i);
		if (r >= 0)
			r = branch_at(w, id, x, before, i);
	}
	if (r >= 0 && (root || w->ops > own || chosen)) {
		r = vtb_chances_of(&t->chances, i);
		if (r >= 0)
			r = branch_by_chance(w, id, &x->events[before], x->events[i].thread, i);
	}
	return r;
}

/* Where everybody waits, somebody might still wake without a signal. */
static int branch_at_end(struct walk *w, uint32_t id, const struct vtb_exec *x, uint32_t before, uint32_t i)
{
	struct vtb_tree *t = w->t;
	int r;

	if (!vtb_chances_at_end(x))
		return 0;
	r = vtb_chances_before(&t->chances, i);
	return r < 0 ? r : branch_by_chance(w, id, &x->events[before], x->events[before].thread, i);
}

/* What decides the price of going on from before event i, besides the state: who has gone before, whom that has just
 * enabled, what a preemption is charged to, and what has been charged already. How much is left of the bound on c is
 * not part of it: the lowest come first. */
static uint64_t price_at(const struct walk *w, uint32_t id, uint32_t before, uint32_t i)
{
	const struct vtb_search_opts *o = w->t->space->opts;
	const struct vtb_exec *x = w->x;
	const uint32_t p = x->events[before].thread;
	uint64_t h = 1;

	if (o->c == VTB_UNBOUNDED && o->v == VTB_UNBOUNDED)
		return 0;
	for (uint32_t k = w->t->nodes[id].preempt; k != VTB_NO_NODE;) {
		const struct vtb_tree_node *n = &w->t->nodes[k];

		k = n->parent == VTB_NO_NODE ? VTB_NO_NODE : w->t->nodes[n->parent].preempt;
		if (n->parent == VTB_NO_NODE || !vtb_tree_charged_before(w->t, n->parent, n->var))
			h += vtb_mix64(n->var + 1ull);
	}
	if (!vtb_exec_enabled(x, i, p))
		return h;
	h = vtb_mix64(h + vtb_mix64((uint64_t)x->events[before].var << 16 | p));
	for (uint32_t k = 0; k < x->stride; k++)
		h = vtb_mix64(h + (x->enabled[(size_t)i * x->stride + k] & x->enabled[(size_t)before * x->stride + k]));
	return h;
}

static int ask_state(struct walk *w, uint32_t id, uint32_t before, uint32_t i, bool *ret_met)
{
	return w->t->space->states ? vtb_state_set_ask(w->t->space->states, i, price_at(w, id, before, i), ret_met) : 0;
}

/* A run of a thousand threads has millions of children: that takes longer than a search has left. */
static bool leave_off(struct vtb_tree *t, uint32_t id, uint32_t event)
{
	if (event % LOOK_EVERY || !vtb_stop_due(t->space->stop))
		return false;
	t->unfinished = true;
	t->unfinished_at = (struct vtb_tuple){ .c = t->nodes[id].c, .v = t->nodes[id].v };
	return true;
}

static void go_on(struct walk *w, const struct vtb_event *e)
{
	const uint64_t thread = (uint64_t)e->thread << 32;
	uint32_t *done = &w->t->done[e->thread];

	w->progress -= vtb_mix64(thread + *done);
	*done += vtb_tree_operations(e);
	w->progress += vtb_mix64(thread + *done);
	w->ops += vtb_tree_operations(e);
}

/* Is there a row after which somebody could have been preempted, within what is not told? */
static bool passes_choices(const struct vtb_exec *x)
{
	for (size_t i = 0; x->owned && i < x->n_events; i++)
		for (uint32_t k = 0; x->events[i].kind == VTB_E_OWNED && k < x->stride; k++)
			if (x->enabled[i * x->stride + k])
				return true;
	return false;
}

/* Told whole it will have more children. */
static bool is_half(struct walk *w, uint32_t id)
{
	const bool more = !w->whole && (w->left || passes_choices(w->x));

	w->t->cut_c |= more && w->t->nodes[id].c >= w->t->max_c;
	return more && w->t->nodes[id].c < w->t->max_c;
}

static void end_node(struct vtb_tree *t, uint32_t id)
{
	t->nodes[id].run = true;
	vtb_tree_free_node(t, id);
}

int vtb_tree_ran(struct vtb_tree *t, uint32_t id, const struct vtb_exec *x, vtb_tree_added *added, void *data)
{
	struct walk walk = {
		.t = t, .x = x, .added = added, .data = data, .whole = !x->owned, .again = t->nodes[id].half
	};
	struct walk *w = &walk;
	const uint32_t own = t->nodes[id].point;
	uint32_t before = 0;
	int r = room_for_threads(t, x);

	t->nodes[id].half = false;
	if (!vtb_tree_followed(t, id, x)) {
		t->diverged++;
		end_node(t, id);
		return r;
	}
	if (t->once && !vtb_tree_tells_states(t, x))
		r = vtb_tree_bring_back(t, added, data);
	vtb_chances_begin(&t->chances, x);
	if (t->space->states)
		vtb_state_set_begin(t->space->states, x);
	for (uint32_t i = 0; r >= 0 && i < x->n_events && !leave_off(t, id, i); i++) {
		const struct vtb_event *e = &x->events[i];
		bool met = false;

		if (w->ops > own && e->kind != VTB_E_LOST)
			r = ask_state(w, id, before, i, &met);
		if (met || r < 0)
			break;

		if (e->kind == VTB_E_FAIL && w->ops > own)
			r = branch_at_end(w, id, x, before, i);
		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL)
			continue;
		r = branch_around(w, id, x, before, i);
		if (r >= 0)
			r = vtb_chances_feed(&t->chances, i);
		go_on(w, e);
		before = i;
	}
	t->nodes[id].half = r >= 0 && !t->unfinished && is_half(w, id);
	if (t->nodes[id].half)
		return 1;
	end_node(t, id);
	return r < 0 ? r : 0;
}
