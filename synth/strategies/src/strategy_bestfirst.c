/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bestfirst: every enabled choice within the bound, the most promising first (prio.h).
 *
 * What waits to be run lies in bins of equal priority, each a stack: so equal priorities are searched depth first and
 * memory stays flat. A priority never prunes: when nothing is left, everything within the bound was executed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec_tree.h"
#include "matters.h"
#include "priorities/prio.h"
#include "vtb/array.h"

#define FULL_SEARCH "mdpor,pb"
#define BOUNDED_SEARCH "ss,mdpor"
#define MATTERS "matters," /* before these, with --predicate */

struct bin {
	int64_t cost[VTB_PRIOS_MAX];
	uint32_t top;
};

struct bestfirst {
	struct vtb_tree tree;
	struct vtb_search_opts opts; /* where a priority goes by the focus, the focus does not bound */
	uint32_t focus_free;         /* enum vtb_focus_kind: those foci */
	struct vtb_space space;
	const struct vtb_space *outer;
	const struct vtb_prio *prios[VTB_PRIOS_MAX];
	int n_prios;
	bool races;
	struct vtb_prio_run run;
	struct bin *bins; /* the most promising last; none is empty */
	size_t n_bins, cap_bins;
	uint64_t above; /* nodes left alone: only lower (c, v) are of interest */
	bool started;
};

/* ---- the fringe */

static int compare(const struct bestfirst *b, const int64_t *x, const int64_t *y)
{
	for (int i = 0; i < b->n_prios; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Index of the first bin that is not less promising. */
static size_t place_of(const struct bestfirst *b, const int64_t *cost)
{
	size_t low = 0, high = b->n_bins;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (compare(b, b->bins[middle].cost, cost) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int push(struct bestfirst *b, uint32_t id, const int64_t *cost)
{
	const size_t at = place_of(b, cost);

	if (at == b->n_bins || compare(b, b->bins[at].cost, cost) != 0) {
		if (vtb_array_room(b, bins) < 0)
			return -ENOMEM;
		memmove(b->bins + at + 1, b->bins + at, (b->n_bins - at) * sizeof(*b->bins));
		memcpy(b->bins[at].cost, cost, sizeof(b->bins[at].cost));
		b->bins[at].top = VTB_NO_NODE;
		b->n_bins++;
	}
	b->tree.nodes[id].next = b->bins[at].top;
	b->bins[at].top = id;
	return 0;
}

static uint32_t pop(struct bestfirst *b)
{
	struct bin *best = &b->bins[b->n_bins - 1];
	const uint32_t id = best->top;

	best->top = b->tree.nodes[id].next;
	if (best->top == VTB_NO_NODE)
		b->n_bins--;
	return id;
}

static int added(void *data, uint32_t id, const struct vtb_exec *x, uint32_t row)
{
	struct bestfirst *b = data;
	const struct vtb_tree_node *n = &b->tree.nodes[id];
	struct vtb_branch branch = {
		.point = row, .before = VTB_NONE, .target = n->target, .kind = n->kind, .c = n->c
	};
	int64_t cost[VTB_PRIOS_MAX] = { 0 };

	for (uint32_t i = row; i-- > 0 && branch.before == VTB_NONE;)
		if (x->events[i].kind != VTB_E_LOST)
			branch.before = i;
	for (int i = 0; i < b->n_prios; i++)
		cost[i] = b->prios[i]->cost(&branch, &b->run);
	return push(b, id, cost);
}

/* ---- proposing, learning */

static bool below_limit(const struct bestfirst *b, const struct vtb_tree_node *n)
{
	return n->c < b->outer->below_c || (n->c == b->outer->below_c && n->v < b->outer->below_v);
}

static int start(struct bestfirst *b)
{
	const int64_t cost[VTB_PRIOS_MAX] = { 0 }, root = vtb_tree_root(&b->tree);

	b->started = true;
	return root < 0 ? (int)root : push(b, (uint32_t)root, cost);
}

/* Of one bin only: the children of what we take may be more promising than the next. */
static int64_t bestfirst_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct bestfirst *b = state;
	size_t bins, n = 0;
	int r = b->started ? 0 : start(b);

	if (r < 0)
		return r;
	for (bins = b->n_bins; b->n_bins && n < max && (n == 0 || bins == b->n_bins);) {
		const uint32_t id = pop(b);

		if (!below_limit(b, &b->tree.nodes[id])) {
			b->above++;
			bins = n ? bins : b->n_bins;
			continue;
		}
		r = vtb_tree_build(&b->tree, id, &plans[n].schedule);
		if (r < 0)
			return r;
		plans[n++].ticket = id;
	}
	return (int64_t)n;
}

static int bestfirst_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct bestfirst *b = state;
	int r;

	r = matters_learn(b->outer, x, new_class);
	if (r >= 0)
		r = vtb_prio_run_begin(&b->run, b->outer, x, b->races);
	return r < 0 ? r : vtb_tree_ran(&b->tree, (uint32_t)ticket, x, added, b);
}

static void bestfirst_claim(const void *state, struct vtb_claim *ret)
{
	const struct bestfirst *b = state;
	const struct vtb_tree *t = &b->tree;
	const char *where = t->cut_focus ? " inside the focus" : "";
	const bool all =
	    b->started && !b->n_bins && !b->above && !t->dropped && !t->diverged && !b->outer->cut && !t->unfinished;

	*ret = (struct vtb_claim){ .focus_free = b->focus_free,
		                   .dropped = t->dropped,
		                   .kept = t->alive,
		                   .on_disk = t->file.bytes,
		                   .explored = t->kinds,
		                   .exhausted = b->started && !b->n_bins };
	ret->complete = all && !t->cut_focus;
	ret->unbounded = ret->complete && !t->cut_c && !t->cut_v;
	ret->enumerates = ret->complete;
	ret->least = all;
	ret->c = ret->complete ? t->max_c + 1 : 0;
	if (ret->unbounded)
		snprintf(ret->text, sizeof(ret->text), "every interleaving was executed");
	else if (all)
		snprintf(ret->text, sizeof(ret->text),
		         "every schedule with c <= %u deviations%s at v <= %u variables was executed", t->max_c, where,
		         t->max_v);
	else
		snprintf(ret->text, sizeof(ret->text),
		         "the most promising schedules were executed; no bound was completed");
}

static void bestfirst_end(void *state)
{
	struct bestfirst *b = state;

	vtb_tree_fini(&b->tree);
	vtb_prio_run_fini(&b->run);
	free(b->bins);
	free(b);
}

/* A focus that a priority goes by is no bound. */
static void free_focus(struct bestfirst *b)
{
	for (int i = 0; i < b->n_prios; i++) {
		b->races |= b->prios[i]->races;
		b->focus_free |=
		    (b->prios[i]->function ? VTB_FOCUS_FUNCTION : 0u) | (b->prios[i]->var ? VTB_FOCUS_VAR : 0u);
	}
	if (b->focus_free & VTB_FOCUS_FUNCTION)
		b->opts.focus_function = NULL;
	if (b->focus_free & VTB_FOCUS_VAR)
		b->opts.focus_var = NULL;
}

static int bestfirst_begin(const struct vtb_space *space, void **ret_state)
{
	const bool full = space->opts->c >= VTB_SEARCH_C_MAX;
	const char *usual[2][2] = { { BOUNDED_SEARCH, FULL_SEARCH }, { MATTERS BOUNDED_SEARCH, MATTERS FULL_SEARCH } };
	const char *names = space->opts->priority ? space->opts->priority : usual[space->opts->predicate != NULL][full],
	           *bad;
	struct bestfirst *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->outer = space;
	b->n_prios = vtb_prios_find(names, b->prios, &bad);
	if (b->n_prios < 0) {
		free(b);
		return -EINVAL;
	}
	b->opts = *space->opts;
	free_focus(b);
	b->space = *space;
	b->space.opts = &b->opts;
	vtb_tree_init(&b->tree, &b->space, false);
	*ret_state = b;
	return 0;
}

const struct vtb_strategy vtb_strategy_bestfirst = {
	.name = "bestfirst",
	.help = "every enabled choice within the bound, in the order of --priority",
	.can = VTB_STRATEGY_FOCUS | VTB_STRATEGY_PREDICATE,
	.begin = bestfirst_begin,
	.next = bestfirst_next,
	.feedback = bestfirst_feedback,
	.claim = bestfirst_claim,
	.end = bestfirst_end,
};
