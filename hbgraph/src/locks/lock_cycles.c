/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks become nodes 0 .. n-1 in the order of their variable ids. Inside each strongly connected component, simple
 * cycles are walked depth-first from their smallest lock, so each comes up once. For each cycle of locks the witnesses
 * (an edge for each pair of neighbours) are tried until a set is found that can deadlock.
 */
#include "lock_cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/graph.h"
#include "vtb/syncorder.h"

#define WITNESSES_MAX 20000u /* sets of witnesses tried for one cycle */

struct finding {
	struct vtb_lockorder *lo;
	struct vtb_orderindex *order; /* by create and join only */
	uint32_t *locks;              /* node -> variable */
	size_t n_locks, cap_locks;
	struct vtb_graph_edge *arcs; /* distinct, by (from, to) */
	size_t n_arcs, cap_arcs;
	uint32_t *component;
	uint32_t path[VTB_LOCK_CYCLE_MAX]; /* nodes of the walk */
	size_t n_path;
	struct vtb_lock_cycle cycle; /* best witnesses of the cycle at hand */
	size_t chosen[VTB_LOCK_CYCLE_MAX];
	uint32_t tried;
	uint32_t steps;
};

static int compare_ids(const void *x, const void *y)
{
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static uint32_t node_of(const struct finding *f, uint32_t var)
{
	const uint32_t *at = bsearch(&var, f->locks, f->n_locks, sizeof(*f->locks), compare_ids);

	return (uint32_t)(at - f->locks);
}

static int collect_locks(struct finding *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->lo->n_edges; i++) {
		if (vtb_array_room(f, locks) < 0)
			return -ENOMEM;
		f->locks[f->n_locks++] = f->lo->edges[i].held;
		if (vtb_array_room(f, locks) < 0)
			return -ENOMEM;
		f->locks[f->n_locks++] = f->lo->edges[i].wanted;
	}
	if (f->n_locks)
		qsort(f->locks, f->n_locks, sizeof(*f->locks), compare_ids);
	for (size_t i = 0; i < f->n_locks; i++)
		if (!i || f->locks[i] != f->locks[i - 1])
			f->locks[n++] = f->locks[i];
	f->n_locks = n;
	return 0;
}

static int compare_arcs(const void *x, const void *y)
{
	const struct vtb_graph_edge *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static int collect_arcs(struct finding *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->lo->n_edges; i++) {
		if (vtb_array_room(f, arcs) < 0)
			return -ENOMEM;
		f->arcs[f->n_arcs++] =
		    (struct vtb_graph_edge){ node_of(f, f->lo->edges[i].held), node_of(f, f->lo->edges[i].wanted) };
	}
	if (f->n_arcs)
		qsort(f->arcs, f->n_arcs, sizeof(*f->arcs), compare_arcs);
	for (size_t i = 0; i < f->n_arcs; i++)
		if (!i || compare_arcs(&f->arcs[i], &f->arcs[i - 1]))
			f->arcs[n++] = f->arcs[i];
	f->n_arcs = n;
	return 0;
}

/* ---- can these witnesses deadlock? */

static bool shares_gate(const struct vtb_lock_edge *a, const struct vtb_lock_edge *b, uint32_t *ret)
{
	for (size_t i = 0; i < a->gates.n; i++)
		for (size_t k = 0; k < b->gates.n; k++)
			if (a->gates.ids[i] == b->gates.ids[k]) {
				*ret = a->gates.ids[i];
				return true;
			}
	return false;
}

static enum vtb_cycle_state judge_pair(const struct finding *f, const struct vtb_lock_edge *a,
                                       const struct vtb_lock_edge *b, uint32_t *gate)
{
	const enum vtb_order order = vtb_orderindex_compare(f->order, a->wanted_event, b->wanted_event);

	if (a->thread == b->thread)
		return VTB_CYCLE_SAME_THREAD;
	if (shares_gate(a, b, gate))
		return VTB_CYCLE_GATE;
	return order == VTB_CONCURRENT ? VTB_CYCLE_POSSIBLE : VTB_CYCLE_ORDERED;
}

static enum vtb_cycle_state judge(const struct finding *f, size_t n, uint32_t *gate)
{
	const struct vtb_lock_edge *edges = f->lo->edges;

	*gate = VTB_NONE;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			const enum vtb_cycle_state state =
			    judge_pair(f, &edges[f->chosen[i]], &edges[f->chosen[k]], gate);

			if (state != VTB_CYCLE_POSSIBLE)
				return state;
		}
	for (size_t i = 0; i < n; i++)
		if (edges[f->chosen[i]].wanted_read && edges[f->chosen[(i + 1) % n]].held_read)
			return VTB_CYCLE_READERS;
	return VTB_CYCLE_POSSIBLE;
}

/* The last reason stays if nothing is possible; reasons that say more come later in the enumeration. */
static void keep_better(struct finding *f, size_t n)
{
	uint32_t gate;
	const enum vtb_cycle_state state = judge(f, n, &gate);
	struct vtb_lock_cycle *best = &f->cycle;

	if (best->n_edges && best->state != VTB_CYCLE_POSSIBLE && state != VTB_CYCLE_POSSIBLE && state <= best->state)
		return;
	best->n_edges = n;
	best->state = state;
	best->gate = gate;
	for (size_t i = 0; i < n; i++)
		best->edges[i] = f->chosen[i];
}

/* Choose an edge for each step of the path, in every way, until a set can deadlock. */
static void choose(struct finding *f, size_t at)
{
	const uint32_t held = f->locks[f->path[at]], wanted = f->locks[f->path[(at + 1) % f->n_path]];

	for (size_t i = 0; i < f->lo->n_edges; i++) {
		if (f->lo->edges[i].held != held || f->lo->edges[i].wanted != wanted)
			continue;
		f->chosen[at] = i;
		if (at + 1 < f->n_path)
			choose(f, at + 1);
		else if (f->tried++ < WITNESSES_MAX)
			keep_better(f, f->n_path);
		if (f->tried >= WITNESSES_MAX || (f->cycle.n_edges && f->cycle.state == VTB_CYCLE_POSSIBLE))
			return;
	}
}

static int report(struct finding *f)
{
	if (f->lo->n_cycles >= VTB_LOCK_CYCLES_MAX) {
		f->lo->truncated = true;
		return 0;
	}
	f->cycle = (struct vtb_lock_cycle){ .gate = VTB_NONE };
	f->tried = 0;
	choose(f, 0);
	if (vtb_array_room(f->lo, cycles) < 0)
		return -ENOMEM;
	f->lo->cycles[f->lo->n_cycles++] = f->cycle;
	return 0;
}

/* ---- the walk */

static const struct vtb_graph_edge *arcs_from(const struct finding *f, uint32_t node)
{
	size_t low = 0, high = f->n_arcs;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (f->arcs[middle].from < node)
			low = middle + 1;
		else
			high = middle;
	}
	return f->arcs + low;
}

static bool on_path(const struct finding *f, uint32_t node)
{
	for (size_t i = 0; i < f->n_path; i++)
		if (f->path[i] == node)
			return true;
	return false;
}

static int walk(struct finding *f, uint32_t node)
{
	const struct vtb_graph_edge *arc = arcs_from(f, node);
	int r = 0;

	if (f->n_path >= VTB_LOCK_CYCLE_MAX || f->steps++ > VTB_LOCK_CYCLES_MAX * 1000) {
		f->lo->truncated = true;
		return 0;
	}
	f->path[f->n_path++] = node;
	for (; r >= 0 && arc < f->arcs + f->n_arcs && arc->from == node; arc++) {
		if (f->component[arc->to] != f->component[node] || arc->to < f->path[0])
			continue;
		if (arc->to == f->path[0])
			r = report(f);
		else if (!on_path(f, arc->to))
			r = walk(f, arc->to);
	}
	f->n_path--;
	return r;
}

static int compare_cycles(const void *x, const void *y, void *order)
{
	const struct vtb_lock_cycle *a = x, *b = y;
	const struct vtb_lockorder *lo = order;

	if ((a->state == VTB_CYCLE_POSSIBLE) != (b->state == VTB_CYCLE_POSSIBLE))
		return a->state == VTB_CYCLE_POSSIBLE ? -1 : 1;
	if (a->n_edges != b->n_edges)
		return a->n_edges < b->n_edges ? -1 : 1;
	for (size_t i = 0; i < a->n_edges; i++)
		if (a->edges[i] != b->edges[i])
			return lo->edges[a->edges[i]].wanted_event < lo->edges[b->edges[i]].wanted_event ? -1 : 1;
	return 0;
}

static int find(struct finding *f, const struct vtb_trace *trace)
{
	const struct vtb_graph graph = { .n_nodes = (uint32_t)f->n_locks, .edges = f->arcs, .n_edges = f->n_arcs };
	uint32_t components;
	int r;

	f->component = calloc(f->n_locks + 1, sizeof(*f->component));
	if (!f->component)
		return -ENOMEM;
	r = vtb_graph_components(&graph, f->component, &components);
	if (r >= 0)
		r = vtb_orderindex_new(trace, VTB_SYNCORDER_THREADS_ONLY, &f->order);
	for (uint32_t node = 0; r >= 0 && node < f->n_locks; node++)
		r = walk(f, node);
	if (r >= 0 && f->lo->n_cycles)
		qsort_r(f->lo->cycles, f->lo->n_cycles, sizeof(*f->lo->cycles), compare_cycles, f->lo);
	return r;
}

int lock_cycles_find(struct vtb_lockorder *lo, const struct vtb_trace *trace)
{
	struct finding f = { .lo = lo };
	int r = collect_locks(&f);

	if (r >= 0)
		r = collect_arcs(&f);
	if (r >= 0 && lo->n_edges)
		r = find(&f, trace);
	vtb_orderindex_free(f.order);
	free(f.locks);
	free(f.arcs);
	free(f.component);
	return r;
}
