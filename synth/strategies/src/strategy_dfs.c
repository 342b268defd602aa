/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dfs: every enabled choice, in levels of (c, v), the lowest first. levels: the same, but of the choices that lead to a
 * state at one price one is gone on from (exec_tree.h).
 *
 * The execution tree is exec_tree.c's; here is in which order its nodes are run.
 *
 * Schedules without preemptions are most of what can be run of a large program, and need not be told whole
 * (exec_tree.h): those of the level above are what they are told whole for, once that begins.
 *
 * Those that wait are stacks, one for each (c, v); in each the newest is taken first, so that memory stays flat.
 * Preemptions after operations on variables that only one thread has touched so far go last in their level (see
 * coverage.h). They cannot be left out: such a point is in general not replaced by the one before it, since how far a
 * thread has come decides whether a later switch to it is free.
 *
 * With states and without a bound nobody else is tried at sure steps (sure_steps.h). If a run shows that one was less
 * sure than it was taken for, all begins again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec_tree.h"
#include "sure_steps.h"
#include "vtb/coverage.h"
#include "vtb/state_set.h"
#include "vtb/strategy.h"

struct bin {
	/* by the class of the variable of the last preemption; then by kind, if the last deviation that costs is
	 * another one */
	uint32_t top[VTB_COVERAGE_CLASSES + VTB_CHANCE_CLASSES];
};

struct dfs {
	struct vtb_tree tree;
	struct bin *bins; /* (c, v): c * (c + 1) / 2 + v */
	uint32_t level;   /* lowest bin that may hold something */
	bool started;
	bool by_sure; /* nobody else is tried at sure steps */
	struct vtb_sure_steps sure;
	uint32_t era; /* times that all began again */
};

#define ERA_BITS 20 /* of a ticket, above the node's */

static uint32_t bin_of(uint32_t c, uint32_t v)
{
	return c * (c + 1) / 2 + v;
}

static uint32_t n_bins(const struct dfs *d)
{
	return bin_of(d->tree.max_c, d->tree.max_c) + 1;
}

static void level_of(uint32_t bin, uint32_t *ret_c, uint32_t *ret_v)
{
	uint32_t c = 0;

	while (bin_of(c + 1, 0) <= bin)
		c++;
	*ret_c = c;
	*ret_v = bin - bin_of(c, 0);
}

/* ---- what waits */

static uint32_t class_of(const struct dfs *d, const struct vtb_tree_node *n)
{
	const struct vtb_tree_node *last = n->preempt == VTB_NO_NODE ? n : &d->tree.nodes[n->preempt];

	if (last->costs && last->kind != VTB_DEV_SWITCH)
		return VTB_COVERAGE_CLASSES + vtb_chance_class(last->kind);
	return n->costs ? vtb_coverage_class(d->tree.space->coverage, n->var) : 0;
}

static void push(struct dfs *d, uint32_t id)
{
	const struct vtb_tree_node *n = &d->tree.nodes[id];
	const uint32_t bin = bin_of(n->c, n->v);
	uint32_t *top = &d->bins[bin].top[class_of(d, n)];

	d->tree.nodes[id].next = *top;
	*top = id;
	d->level = bin < d->level ? bin : d->level; /* what was put aside may be of any */
}

static int added(void *data, uint32_t id, const struct vtb_exec *x, uint32_t row)
{
	(void)x;
	(void)row;
	push(data, id);
	return 0;
}

/* At the level of its first children that cost. */
static void push_half(struct dfs *d, uint32_t id)
{
	uint32_t *top = &d->bins[bin_of(d->tree.nodes[id].c + 1, 1)].top[0];

	d->tree.nodes[id].next = *top;
	*top = id;
}

/* ---- proposing */

static bool is_empty(const struct bin *bin)
{
	for (uint32_t i = 0; i < VTB_COVERAGE_CLASSES + VTB_CHANCE_CLASSES; i++)
		if (bin->top[i] != VTB_NO_NODE)
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
	return c < d->tree.space->below_c || (c == d->tree.space->below_c && v < d->tree.space->below_v);
}

static uint32_t pop(struct dfs *d, uint32_t bin)
{
	for (uint32_t i = 0; i < VTB_COVERAGE_CLASSES + VTB_CHANCE_CLASSES; i++) {
		const uint32_t id = d->bins[bin].top[i];

		if (id != VTB_NO_NODE) {
			d->bins[bin].top[i] = d->tree.nodes[id].next;
			return id;
		}
	}
	return VTB_NO_NODE;
}

static int start(struct dfs *d)
{
	const int64_t root = vtb_tree_root(&d->tree);

	if (root < 0)
		return (int)root;
	push(d, (uint32_t)root);
	d->started = true;
	return 0;
}

/* Has it put aside what may lead to other states after all? */
static bool owes(const struct dfs *d)
{
	return d->tree.n_aside && !vtb_tree_tells_states(&d->tree, NULL);
}

static int64_t dfs_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct dfs *d = state;
	uint32_t bin;
	size_t n = 0;

	if (!d->started && start(d) < 0)
		return -ENOMEM;
	if (owes(d) && vtb_tree_bring_back(&d->tree, added, d) < 0)
		return -ENOMEM;
	bin = d->level = lowest_level(d);
	if (bin >= n_bins(d) || !below_limit(d, bin))
		return 0;
	while (n < max) { /* one level only: the children of what we take may belong to it as well */
		const uint32_t id = pop(d, bin);
		int r;

		if (id == VTB_NO_NODE)
			break;
		r = vtb_tree_build(&d->tree, id, &plans[n].schedule);
		if (r < 0)
			return r;
		plans[n].schedule.sparse = bin == 0 && !d->tree.nodes[id].half;
		plans[n++].ticket = (uint64_t)(d->era & ((1u << ERA_BITS) - 1)) << 32 | id;
	}
	return (int64_t)n;
}

static void empty_bins(struct dfs *d)
{
	memset(d->bins, 0xff, n_bins(d) * sizeof(*d->bins)); /* VTB_NO_NODE */
	d->level = 0;
}

/* From the first run on. */
static int begin_again(struct dfs *d)
{
	const struct vtb_space *space = d->tree.space;

	vtb_tree_fini(&d->tree);
	vtb_tree_init(&d->tree, space, false);
	d->tree.sure = &d->sure;
	empty_bins(d);
	vtb_state_set_forget(space->states);
	d->era++;
	return start(d);
}

/* 1: the run is of no use any more. */
static int learn(struct dfs *d, uint32_t era, const struct vtb_exec *x)
{
	const uint64_t grown = d->sure.grown;
	int r = vtb_sure_learn(&d->sure, x);

	const bool now = era == (d->era & ((1u << ERA_BITS) - 1));

	if (r >= 0 && now && d->sure.grown != grown) {
		r = begin_again(d);
		return r < 0 ? r : 1;
	}
	return r < 0 ? r : !now;
}

static int dfs_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dfs *d = state;
	int r = d->by_sure ? learn(d, (uint32_t)(ticket >> 32), x) : 0;

	(void)new_class;
	if (r)
		return r < 0 ? r : 0;
	r = vtb_tree_ran(&d->tree, (uint32_t)ticket, x, added, d);
	if (r > 0)
		push_half(d, (uint32_t)ticket);
	return r < 0 ? r : 0;
}

/* ---- what it can say */

static void describe(const struct dfs *d, bool all, struct vtb_claim *ret)
{
	const char *where = d->tree.cut_focus ? " inside the focus" : "",
	           *vars = d->tree.cut_v ? " within the bound of variables" : "",
	           *once = d->tree.n_aside ? ", up to orders that lead to the same state" : "";

	if (ret->unbounded && d->by_sure)
		snprintf(ret->text, sizeof(ret->text),
		         "every state that interleavings lead to was gone on from in every way that can make a "
		         "difference (where nobody else can meet a thread's next operation, only that one was tried)");
	else if (ret->unbounded && ret->by_states)
		snprintf(ret->text, sizeof(ret->text),
		         "every state that interleavings lead to was gone on from in every way");
	else if (ret->unbounded)
		snprintf(ret->text, sizeof(ret->text), "every interleaving was executed%s", once);
	else if (ret->by_states)
		snprintf(ret->text, sizeof(ret->text),
		         all ? "every state was gone on from that at most %u deviations lead to"
		             : "states are left that were not gone on from",
		         d->tree.max_c);
	else if (all)
		snprintf(ret->text, sizeof(ret->text),
		         "every schedule with c <= %u deviations%s at v <= %u variables was executed%s", d->tree.max_c,
		         where, d->tree.max_v, once);
	else if (ret->c > 0)
		snprintf(ret->text, sizeof(ret->text), "every schedule with c < %u deviations%s%s was executed%s",
		         ret->c, where, vars, once);
	else
		snprintf(ret->text, sizeof(ret->text), "no bound was completed");
}

/* What was left out, or not seen to its end, begins at some level: those from it on are not complete. */
static void lower_to(struct vtb_claim *ret, uint32_t c, uint32_t v)
{
	if (c > ret->c || (c == ret->c && v >= ret->v))
		return;
	ret->c = c;
	ret->v = v;
}

static void dfs_claim(const void *state, struct vtb_claim *ret)
{
	const struct dfs *d = state;
	const uint32_t bin = d->started ? lowest_level(d) : 0;
	bool all, least;

	*ret = (struct vtb_claim){ .enumerates = true,
		                   .dropped = d->tree.dropped,
		                   .kept = d->tree.alive,
		                   .on_disk = d->tree.file.bytes,
		                   .explored = d->tree.kinds };
	level_of(bin, &ret->c, &ret->v);
	if (d->tree.cut_v) /* the lowest one that the bound of variables leaves out */
		lower_to(ret, d->tree.max_v + 1, d->tree.max_v + 1);
	if (d->tree.space->cut)
		lower_to(ret, d->tree.space->cut_at.c, d->tree.space->cut_at.v);
	if (d->tree.unfinished)
		lower_to(ret, d->tree.unfinished_at.c, d->tree.unfinished_at.v);
	ret->exhausted = d->started && (bin >= n_bins(d) || !below_limit(d, bin));
	all = d->started && bin >= n_bins(d) && !d->tree.dropped && !d->tree.diverged && !d->tree.space->cut &&
	      !d->tree.unfinished && !owes(d);
	ret->complete = all && !d->tree.cut_focus;
	ret->unbounded = ret->complete && !d->tree.cut_c && !d->tree.cut_v;
	if (d->tree.dropped || d->tree.diverged || owes(d))
		ret->c = ret->v = 0;
	ret->by_states =
	    d->tree.space->states && d->tree.space->opts->c == VTB_UNBOUNDED && d->tree.space->opts->v == VTB_UNBOUNDED;
	if (ret->by_states && !ret->complete)
		ret->c = ret->v = 0;
	least = ret->complete || ret->c > 0 || all; /* a focus leaves out none of those that need no deviation */
	describe(d, all, ret);
	if (d->tree.cut_focus)
		ret->c = ret->v = 0; /* what lies outside the focus may have lower ones */
	ret->least = least;
}

static void dfs_end(void *state)
{
	struct dfs *d = state;

	vtb_tree_fini(&d->tree);
	vtb_sure_fini(&d->sure);
	free(d->bins);
	free(d);
}

static int begin(const struct vtb_space *space, bool once, void **ret_state)
{
	struct dfs *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	vtb_tree_init(&d->tree, space, once);
	d->bins = malloc(n_bins(d) * sizeof(*d->bins));
	if (!d->bins) {
		free(d);
		return -ENOMEM;
	}
	empty_bins(d);
	d->by_sure = space->opts->sure_steps && space->states && space->opts->c == VTB_UNBOUNDED &&
	             space->opts->v == VTB_UNBOUNDED;
	d->tree.sure = d->by_sure ? &d->sure : NULL;
	*ret_state = d;
	return 0;
}

static int dfs_begin(const struct vtb_space *space, void **ret_state)
{
	return begin(space, false, ret_state);
}

static int levels_begin(const struct vtb_space *space, void **ret_state)
{
	return begin(space, true, ret_state);
}

const struct vtb_strategy vtb_strategy_dfs = {
	.name = "dfs",
	.help = "every enabled choice, in levels of deviations and variables; complete within the bound when it ends",
	.can = VTB_STRATEGY_STATES | VTB_STRATEGY_FOCUS,
	.begin = dfs_begin,
	.next = dfs_next,
	.feedback = dfs_feedback,
	.claim = dfs_claim,
	.end = dfs_end,
};

const struct vtb_strategy vtb_strategy_levels = {
	.name = "levels",
	.help = "as dfs, but of the orders that lead to the same state at the same price one is gone on from",
	.can = VTB_STRATEGY_FOCUS,
	.begin = levels_begin,
	.next = dfs_next,
	.feedback = dfs_feedback,
	.claim = dfs_claim,
	.end = dfs_end,
};
