/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which blocks decide whether a block is executed [PDG87]: b depends on the end of a, if b is sure to be executed once
 * a has gone one of its ways, and not before. "Sure" is post-dominance: being on every way to the function's end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiled.h"
#include "vtb/array.h"
#include "vtb/graph.h"

/* ---- calls that may not return */

static bool may_stop(const struct program *p, const struct insn *i)
{
	if (i->flow == FLOW_STOP || i->last)
		return true;
	if (!insn_is_call(i))
		return false;
	if (i->external)
		return i->external->does & (DOES_STOP | DOES_ANYTHING | DOES_THROW);
	return i->callee == NONE || p->functions[i->callee].may_stop;
}

static bool may_throw(const struct program *p, const struct insn *i)
{
	return insn_is_call(i) && insn_may_unwind(i) && (i->callee == NONE || p->functions[i->callee].may_throw);
}

/* Does a call in it stop it, or throw, that did not so far? */
static bool found_stop(const struct program *p, struct function *fn)
{
	const bool stopped = fn->may_stop, threw = fn->may_throw;

	for (uint32_t i = fn->first; i < fn->first + fn->n && !(fn->may_stop && fn->may_throw); i++) {
		fn->may_stop |= may_stop(p, &p->insns[i]);
		fn->may_throw |= may_throw(p, &p->insns[i]);
	}
	return fn->may_stop != stopped || fn->may_throw != threw;
}

static void take_out(uint32_t *edges, uint32_t *n, uint32_t edge)
{
	uint32_t k = 0;

	while (k < *n && edges[k] != edge)
		k++;
	if (k < *n)
		memmove(&edges[k], &edges[k + 1], (--*n - k) * sizeof(*edges));
}

/* No exception comes out of the call with which the block ends. */
static void cut_landing(struct program *p, uint32_t b)
{
	struct block *block = &p->blocks[b];
	struct insn *last = &p->insns[block->first + block->n - 1];

	for (uint32_t k = block->n_succ; k-- > 0;) {
		const uint32_t way = p->edges[block->succ + k];
		struct block *to = &p->blocks[way];

		if (!block_lands(p, b, way) || block_falls(p, b, way))
			continue;
		take_out(&p->edges[to->pred], &to->n_pred, b);
		take_out(&p->edges[block->succ], &block->n_succ, way);
	}
	last->landing = 0;
}

static void find_stops(struct program *p)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t f = p->n_functions; f-- > 0;)
			changed |= found_stop(p, &p->functions[f]);
	}
	for (size_t b = 0; b < p->n_blocks; b++) {
		struct block *block = &p->blocks[b];

		const struct insn *last = &p->insns[block->first + block->n - 1];

		block->exits |= may_stop(p, last);
		if (last->landing && !may_throw(p, last))
			cut_landing(p, (uint32_t)b);
	}
}

/* ---- ways to the end */

/* The work on one function: nodes are its blocks, and the end. */
struct ways {
	struct program *p;
	const struct function *fn;
	struct vtb_graph_edge *edges; /* against the flow */
	size_t n_edges, cap_edges;
	uint32_t *idom; /* immediate post-dominators */
	uint32_t *stack, *stamp;
	struct pair {
		uint32_t block, decider;
	} * pairs;
	size_t n_pairs, cap_pairs;
};

static void reach_back(struct ways *w, uint32_t from)
{
	const struct program *p = w->p;
	size_t n = 0;

	if (w->stamp[from])
		return;
	w->stamp[from] = 1;
	w->stack[n++] = from;
	while (n) {
		const struct block *b = &p->blocks[w->fn->block + w->stack[--n]];

		for (uint32_t k = 0; k < b->n_pred; k++) {
			const uint32_t pred = p->edges[b->pred + k] - w->fn->block;

			if (!w->stamp[pred]) {
				w->stamp[pred] = 1;
				w->stack[n++] = pred;
			}
		}
	}
}

/* A loop without an end is left by an edge that nobody takes. */
static void leave_loops(struct ways *w)
{
	const uint32_t n = w->fn->n_blocks;

	for (uint32_t b = 0; b < n; b++)
		w->stamp[b] = 0;
	for (uint32_t b = 0; b < n; b++)
		if (w->p->blocks[w->fn->block + b].exits)
			reach_back(w, b);
	for (uint32_t b = n; b-- > 0;)
		if (!w->stamp[b]) {
			w->p->blocks[w->fn->block + b].exits = true;
			reach_back(w, b);
		}
}

static int add_edge(struct ways *w, uint32_t from, uint32_t to)
{
	if (vtb_array_room(w, edges) < 0)
		return -ENOMEM;
	w->edges[w->n_edges++] = (struct vtb_graph_edge){ from, to };
	return 0;
}

static int reverse(struct ways *w)
{
	const uint32_t n = w->fn->n_blocks;
	int r = 0;

	w->n_edges = 0;
	for (uint32_t b = 0; r >= 0 && b < n; b++) {
		const struct block *block = &w->p->blocks[w->fn->block + b];

		if (block->exits)
			r = add_edge(w, n, b);
		for (uint32_t k = 0; r >= 0 && k < block->n_succ; k++)
			r = add_edge(w, w->p->edges[block->succ + k] - w->fn->block, b);
	}
	return r;
}

/* ---- deciders */

static int add_pairs(struct ways *w, uint32_t a, uint32_t to)
{
	for (uint32_t b = to; b != w->idom[a] && b != w->fn->n_blocks; b = w->idom[b]) {
		if (w->stamp[b] == a + 1)
			return 0;
		w->stamp[b] = a + 1;
		if (vtb_array_room(w, pairs) < 0)
			return -ENOMEM;
		w->pairs[w->n_pairs++] = (struct pair){ b, a };
	}
	return 0;
}

static int by_block(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
	                            : (x->decider > y->decider) - (x->decider < y->decider);
}

static int store_pairs(struct ways *w)
{
	struct program *p = w->p;

	if (w->n_pairs)
		qsort(w->pairs, w->n_pairs, sizeof(*w->pairs), by_block);
	for (size_t i = 0; i < w->n_pairs; i++) {
		struct block *b = &p->blocks[w->fn->block + w->pairs[i].block];

		if (vtb_array_room(p, deciders) < 0)
			return -ENOMEM;
		if (!b->n_decided)
			b->decided = (uint32_t)p->n_deciders;
		p->deciders[p->n_deciders++] = w->fn->block + w->pairs[i].decider;
		b->n_decided++;
	}
	return 0;
}

static int decide(struct ways *w)
{
	const uint32_t n = w->fn->n_blocks;
	int r = 0;

	w->n_pairs = 0;
	for (uint32_t b = 0; b < n; b++)
		w->stamp[b] = 0;
	for (uint32_t a = 0; r >= 0 && a < n; a++) {
		const struct block *block = &w->p->blocks[w->fn->block + a];

		if (block->n_succ + block->exits < 2)
			continue;
		for (uint32_t k = 0; r >= 0 && k < block->n_succ; k++)
			r = add_pairs(w, a, w->p->edges[block->succ + k] - w->fn->block);
	}
	return r < 0 ? r : store_pairs(w);
}

static int one_function(struct ways *w)
{
	const uint32_t n = w->fn->n_blocks;
	struct vtb_graph g;
	int r = 0;

	if (n < 2)
		return 0;
	if (!(w->idom = calloc(n + 1, sizeof(*w->idom))) || !(w->stack = calloc(n, sizeof(*w->stack))) ||
	    !(w->stamp = calloc(n, sizeof(*w->stamp))))
		r = -ENOMEM;
	if (r >= 0) {
		leave_loops(w);
		r = reverse(w);
	}
	g = (struct vtb_graph){ .n_nodes = n + 1, .edges = w->edges, .n_edges = w->n_edges };
	if (r >= 0)
		r = vtb_graph_dominators(&g, n, w->idom);
	if (r >= 0)
		r = decide(w);
	free(w->idom);
	free(w->stack);
	free(w->stamp);
	return r;
}

int program_control(struct program *p)
{
	struct ways w = { .p = p };
	int r = 0;

	find_stops(p);
	for (size_t f = 0; r >= 0 && f < p->n_functions; f++) {
		w.fn = &p->functions[f];
		r = one_function(&w);
	}
	free(w.edges);
	free(w.pairs);
	return r;
}
