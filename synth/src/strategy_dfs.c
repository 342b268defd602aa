/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dfs: every enabled choice, in levels of (c, v), the lowest first.
 *
 * A node of the execution tree is one run: its parent's choices up to a point, another thread there, run-to-block after.
 * Run-to-block never preempts, so the run's c is that of its last explicit choice, and each run is proposed exactly once.
 * A choice may also be that a deadline passes or a thread wakes without a signal (in place of a switch), or, after that, that the
 * operation chosen comes out differently (chances.h).
 *
 *      parent   a1 a2 | a3 a4 ...        child (point before a3, choice b)   a1 a2 | b1 ...
 *
 * Only nodes that have not been run and their ancestors are kept, 44 bytes each. Those that wait are stacks, one for
 * each (c, v); in each the newest is taken first, so that memory stays flat. Preemptions after operations on variables that only
 * one thread has touched so far go last in their level (see coverage.h). They cannot be left out: such a point is in general not replaced by the one
 * before it, since how far a thread has come decides whether a later switch to it is free.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chances.h"
#include "coverage.h"
#include "focus.h"
#include "vtb/array.h"
#include "vtb/strategy.h"

#define NO_NODE UINT32_MAX

struct node {
	uint32_t parent;
	uint32_t next;     /* below it on its stack, or in the list of free nodes */
	uint32_t preempt;  /* nearest one with a cost: itself or an ancestor */
	uint32_t children; /* that have not been freed */
	uint32_t point;    /* the choice is the thread of event `point` */
	uint32_t index;    /* operations that thread `after` has done at that point */
	uint32_t var;      /* what a preemption is charged to */
	uint16_t after, target;
	uint8_t c, v;
	uint8_t kind;      /* enum vtb_deviation_kind */
	bool costs;
	bool run;
};

struct bin {
	/* by the class of the variable of the last preemption; then by kind, if the last deviation that costs is another one */
	uint32_t top[VTB_COVERAGE_CLASSES + VTB_CHANCE_CLASSES];
};

struct dfs {
	const struct vtb_space *space;
	struct node *nodes;
	size_t n_nodes, cap_nodes;
	uint32_t free_nodes;
	uint32_t *done;    /* scratch: operations by thread */
	size_t n_done, cap_done;
	struct bin *bins;  /* (c, v): c * (c + 1) / 2 + v */
	uint32_t max_c, max_v;
	uint32_t level;    /* lowest bin that may hold something */
	bool started;
	uint32_t kinds;    /* of deviations other than switches that some run showed to be possible */
	bool cut_c, cut_v, cut_focus;
	struct vtb_chances chances;
	uint64_t dropped, diverged;
	size_t limit;      /* nodes */
};

static uint32_t bin_of(uint32_t c, uint32_t v)
{
	return c * (c + 1) / 2 + v;
}

static uint32_t n_bins(const struct dfs *d)
{
	return bin_of(d->max_c, d->max_c) + 1;
}

static void level_of(uint32_t bin, uint32_t *ret_c, uint32_t *ret_v)
{
	uint32_t c = 0;

	while (bin_of(c + 1, 0) <= bin)
		c++;
	*ret_c = c;
	*ret_v = bin - bin_of(c, 0);
}

/* ---- nodes */

static int64_t take_node(struct dfs *d)
{
	if (d->free_nodes != NO_NODE) {
		const uint32_t id = d->free_nodes;

		d->free_nodes = d->nodes[id].next;
		return id;
	}
	if (d->n_nodes >= d->limit)
		return -VTB_E_LIMIT;
	if (vtb_array_room(d, nodes) < 0)
		return -ENOMEM;
	return (int64_t)d->n_nodes++;
}

/* A node that was run and has no child left is not needed any more, and then perhaps its parent neither. */
static void free_node(struct dfs *d, uint32_t id)
{
	while (id != NO_NODE && d->nodes[id].run && d->nodes[id].children == 0) {
		const uint32_t parent = d->nodes[id].parent;

		d->nodes[id].next = d->free_nodes;
		d->free_nodes = id;
		if (parent != NO_NODE)
			d->nodes[parent].children--;
		id = parent;
	}
}

static bool charged_before(const struct dfs *d, uint32_t id, uint32_t var)
{
	for (uint32_t i = d->nodes[id].preempt; i != NO_NODE;) {
		if (d->nodes[i].var == var)
			return true;
		i = d->nodes[i].parent == NO_NODE ? NO_NODE : d->nodes[d->nodes[i].parent].preempt;
	}
	return false;
}

static uint32_t class_of(const struct dfs *d, const struct node *n)
{
	const struct node *last = n->preempt == NO_NODE ? n : &d->nodes[n->preempt];

	if (last->costs && last->kind != VTB_DEV_SWITCH)
		return VTB_COVERAGE_CLASSES + vtb_chance_class(last->kind);
	return n->costs ? vtb_coverage_class(d->space->coverage, n->var) : 0;
}

static void push(struct dfs *d, uint32_t id)
{
	const struct node *n = &d->nodes[id];
	uint32_t *top = &d->bins[bin_of(n->c, n->v)].top[class_of(d, n)];

	d->nodes[id].next = *top;
	*top = id;
}

/* The child that makes this choice after the operation it names; `at` is what a focus is asked about. */
static int add_child(struct dfs *d, uint32_t parent, struct node choice, const struct vtb_event *at)
{
	const struct node *p = &d->nodes[parent];
	const uint32_t c = p->c + choice.costs;
	uint32_t v = p->v;
	int64_t id;

	if (c > d->max_c) {
		d->cut_c = true;
		return 0;
	}
	if (choice.costs && !vtb_focus_allows(d->space, at)) {
		d->cut_focus = true;
		return 0;
	}
	if (choice.costs && !charged_before(d, parent, choice.var) && ++v > d->max_v) {
		d->cut_v = true;
		return 0;
	}
	id = take_node(d);
	if (id == -VTB_E_LIMIT) {
		d->dropped++;
		return 0;
	}
	if (id < 0)
		return (int)id;
	choice.parent = parent;
	choice.index = d->done[choice.after];
	choice.c = (uint8_t)c;
	choice.v = (uint8_t)v;
	choice.preempt = choice.costs ? (uint32_t)id : d->nodes[parent].preempt;
	d->nodes[id] = choice;
	d->nodes[parent].children++;
	push(d, (uint32_t)id);
	return 0;
}

/* ---- proposing */

static int build(const struct dfs *d, uint32_t id, struct vtb_schedule *s)
{
	uint32_t n = 0, i;
	int r = 0;

	s->policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	for (i = id; d->nodes[i].parent != NO_NODE; i = d->nodes[i].parent)
		n++;
	for (uint32_t k = 0; r >= 0 && k < n; k++)
		r = vtb_schedule_deviate(s, 0, 0, VTB_DEV_SWITCH, 0, VTB_NONE, 0);
	if (r < 0)
		return r;
	for (i = id; d->nodes[i].parent != NO_NODE; i = d->nodes[i].parent) {
		struct vtb_deviation *dev = &s->deviations[--n];

		dev->after.thread = d->nodes[i].after;
		dev->after.index = d->nodes[i].index;
		dev->kind = (enum vtb_deviation_kind)d->nodes[i].kind;
		dev->target = d->nodes[i].target;
		dev->var = d->nodes[i].var == VTB_CHANCE_CLOCK ? VTB_NONE : d->nodes[i].var;
		dev->cost = d->nodes[i].costs;
	}
	s->tuple = (struct vtb_tuple){ .c = d->nodes[id].c, .v = d->nodes[id].v };
	return 0;
}

static bool is_empty(const struct bin *bin)
{
	for (uint32_t i = 0; i < VTB_COVERAGE_CLASSES + VTB_CHANCE_CLASSES; i++)
		if (bin->top[i] != NO_NODE)
			return false;
	return true;
}

/* The lowest level with something in it; n_bins if there is none. */
static uint32_t lowest_level(const struct dfs *d)
{
	uint32_t bin = d->level;

	while (bin < n_bins(d) && is_empty(&d->bins[bin]))
		bin++;
	return bin;
}

static bool below_limit(const struct dfs *d, uint32_t bin)
{
	uint32_t c, v;

	level_of(bin, &c, &v);
	return c < d->space->below_c || (c == d->space->below_c && v < d->space->below_v);
}

static uint32_t pop(struct dfs *d, uint32_t bin)
{
	for (uint32_t i = 0; i < VTB_COVERAGE_CLASSES + VTB_CHANCE_CLASSES; i++) {
		const uint32_t id = d->bins[bin].top[i];

		if (id != NO_NODE) {
			d->bins[bin].top[i] = d->nodes[id].next;
			return id;
		}
	}
	return NO_NODE;
}

static int start(struct dfs *d)
{
	int64_t root = take_node(d);

	if (root < 0)
		return (int)root;
	d->nodes[root] = (struct node){ .parent = NO_NODE, .preempt = NO_NODE, .kind = VTB_DEV_SWITCH };
	push(d, (uint32_t)root);
	d->started = true;
	return 0;
}

static int64_t dfs_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct dfs *d = state;
	uint32_t bin;
	size_t n = 0;

	if (!d->started && start(d) < 0)
		return -ENOMEM;
	bin = d->level = lowest_level(d);
	if (bin >= n_bins(d) || !below_limit(d, bin))
		return 0;
	while (n < max) { /* one level only: the children of what we take may belong to it as well */
		const uint32_t id = pop(d, bin);
		int r;

		if (id == NO_NODE)
			break;
		r = build(d, id, &plans[n].schedule);
		if (r < 0)
			return r;
		plans[n++].ticket = id;
	}
	return (int64_t)n;
}

/* ---- learning */

static int room_for_threads(struct dfs *d, const struct vtb_exec *x)
{
	while (d->n_done < 64ull * x->stride) {
		if (vtb_array_room(d, done) < 0)
			return -ENOMEM;
		d->n_done++;
	}
	memset(d->done, 0, d->n_done * sizeof(*d->done));
	return 0;
}

/* Does the deviation stand before the operation that it changes, in the same thread? Else: at the point before it. */
static bool changes_operation(const struct node *n)
{
	return n->kind == VTB_DEV_WAITER || n->kind == VTB_DEV_CAS_FAIL;
}

static bool followed(const struct dfs *d, uint32_t id, const struct vtb_exec *x)
{
	const struct node *n = &d->nodes[id];
	uint32_t before = n->point;

	if (n->parent == NO_NODE)
		return x->n_events > 0;
	if (n->point >= x->n_events || x->events[n->point].thread != (changes_operation(n) ? n->after : n->target))
		return false;
	if (n->kind != VTB_DEV_SWITCH && x->events[n->point].deviation != n->kind)
		return false;
	while (!changes_operation(n) && before-- > 0)
		if (x->events[before].kind != VTB_E_LOST)
			return x->events[before].thread == n->after;
	return changes_operation(n);
}

/* What time or chance could do at this point, or to event i. */
static int branch_by_chance(struct dfs *d, uint32_t id, uint32_t thread, uint32_t i)
{
	int r = 0;

	for (size_t k = 0; r >= 0 && k < d->chances.n_list; k++) {
		const struct vtb_chance *c = &d->chances.list[k];

		d->kinds |= 1u << c->kind;
		r = add_child(d, id, (struct node){ .point = i, .var = c->var, .after = (uint16_t)thread, .target = (uint16_t)c->target, .kind = c->kind, .costs = true }, &c->at);
	}
	return r;
}

/* Every other thread that could have gone on before event i, after event `before`. */
static int branch_at(struct dfs *d, uint32_t id, const struct vtb_exec *x, uint32_t before, uint32_t i)
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
			r = add_child(d, id, (struct node){ .point = i, .var = e->var, .after = (uint16_t)p, .target = (uint16_t)q, .kind = VTB_DEV_SWITCH, .costs = costs }, e);
			if (r < 0)
				return r;
		}
	return 0;
}

/* All choices around event i that are new in this run. Its own choice was made before event `own`. */
static int branch_around(struct dfs *d, uint32_t id, const struct vtb_exec *x, uint32_t before, uint32_t i, uint32_t own)
{
	const bool root = d->nodes[id].parent == NO_NODE;
	int r = 0;

	if (i > own) {
		r = vtb_chances_before(&d->chances, i);
		if (r >= 0)
			r = branch_by_chance(d, id, x->events[before].thread, i);
		if (r >= 0)
			r = branch_at(d, id, x, before, i);
	}
	if (r >= 0 && (root || i > own || (i == own && !changes_operation(&d->nodes[id])))) {
		r = vtb_chances_of(&d->chances, i);
		if (r >= 0)
			r = branch_by_chance(d, id, x->events[i].thread, i);
	}
	return r;
}

/* Where everybody waits, somebody might still wake without a signal. */
static int branch_at_end(struct dfs *d, uint32_t id, const struct vtb_exec *x, uint32_t before, uint32_t i)
{
	const enum vtb_verdict verdict = x->outcome.verdict;
	int r;

	if (verdict != VTB_V_DEADLOCK && verdict != VTB_V_CONDITION_DEADLOCK && verdict != VTB_V_LOST_WAKEUP)
		return 0;
	r = vtb_chances_before(&d->chances, i);
	return r < 0 ? r : branch_by_chance(d, id, x->events[before].thread, i);
}

static int dfs_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dfs *d = state;
	const uint32_t id = (uint32_t)ticket, own = d->nodes[id].parent == NO_NODE ? 0 : d->nodes[id].point;
	uint32_t before = 0;
	int r = room_for_threads(d, x);

	(void)new_class;
	d->nodes[id].run = true;
	if (!followed(d, id, x)) {
		d->diverged++;
		free_node(d, id);
		return r;
	}
	vtb_chances_begin(&d->chances, x);
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_FAIL && i > own)
			r = branch_at_end(d, id, x, before, i);
		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL)
			continue;
		r = branch_around(d, id, x, before, i, own);
		if (r >= 0)
			r = vtb_chances_feed(&d->chances, i);
		d->done[e->thread]++;
		before = i;
	}
	free_node(d, id);
	return r;
}

/* ---- what it can say */

static void describe(const struct dfs *d, bool all, struct vtb_claim *ret)
{
	const char *where = d->cut_focus ? " inside the focus" : "", *vars = d->cut_v ? " within the bound of variables" : "";

	if (ret->unbounded)
		snprintf(ret->text, sizeof(ret->text), "every interleaving was executed");
	else if (all)
		snprintf(ret->text, sizeof(ret->text), "every schedule with c <= %u deviations%s at v <= %u variables was executed", d->max_c, where, d->max_v);
	else if (ret->c > 0)
		snprintf(ret->text, sizeof(ret->text), "every schedule with c < %u deviations%s%s was executed", ret->c, where, vars);
	else
		snprintf(ret->text, sizeof(ret->text), "no bound was completed");
}

static void dfs_claim(const void *state, struct vtb_claim *ret)
{
	const struct dfs *d = state;
	const uint32_t bin = d->started ? lowest_level(d) : 0;
	bool all;

	*ret = (struct vtb_claim){ .enumerates = true, .dropped = d->dropped, .explored = d->kinds };
	level_of(bin, &ret->c, &ret->v);
	if (d->cut_v && ret->c > d->max_v + 1) /* the lowest one that the bound of variables leaves out */
		ret->c = ret->v = d->max_v + 1;
	ret->exhausted = d->started && (bin >= n_bins(d) || !below_limit(d, bin));
	all = d->started && bin >= n_bins(d) && !d->dropped && !d->diverged;
	ret->complete = all && !d->cut_focus;
	ret->unbounded = ret->complete && !d->cut_c && !d->cut_v;
	if (d->dropped || d->diverged)
		ret->c = ret->v = 0;
	describe(d, all, ret);
	if (d->cut_focus)
		ret->c = ret->v = 0; /* what lies outside the focus may have lower ones */
}

static void dfs_end(void *state)
{
	struct dfs *d = state;

	free(d->nodes);
	free(d->done);
	free(d->bins);
	vtb_chances_fini(&d->chances);
	free(d);
}

static int dfs_begin(const struct vtb_space *space, void **ret_state)
{
	struct dfs *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->space = space;
	d->free_nodes = NO_NODE;
	d->max_c = space->opts->c < VTB_SEARCH_C_MAX ? space->opts->c : VTB_SEARCH_C_MAX;
	d->max_v = space->opts->v < d->max_c ? space->opts->v : d->max_c;
	d->limit = space->opts->memory / sizeof(struct node);
	d->limit = d->limit < NO_NODE ? d->limit : NO_NODE - 1;
	d->bins = malloc(n_bins(d) * sizeof(*d->bins));
	if (!d->bins) {
		free(d);
		return -ENOMEM;
	}
	memset(d->bins, 0xff, n_bins(d) * sizeof(*d->bins)); /* NO_NODE */
	*ret_state = d;
	return 0;
}

const struct vtb_strategy vtb_strategy_dfs = {
	.name = "dfs",
	.help = "every enabled choice, in levels of deviations and variables; complete within the bound when it ends",
	.begin = dfs_begin,
	.next = dfs_next,
	.feedback = dfs_feedback,
	.claim = dfs_claim,
	.end = dfs_end,
};
