/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops that only other threads can end: no way out of the loop depends on what the loop itself has done the last time
 * round. Whether such a loop ends is what a deadlock is in other programs; loops that make progress are taken to end.
 *
 *     while (!flag) ;                     waits: each time round is like the last, if nobody else does anything
 *     while (i < n) i++;                  progress: i comes from i
 *     while (!cas(&lock, 0, 1)) ;         waits: it fails as long as the lock is taken
 *     do v = x; while (!cas(&x, v, v+1)); progress: it fails only if another thread has succeeded
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "essential.h"
#include "vtb/array.h"
#include "vtb/graph.h"
#include "vtb/slice.h"

#define DONE UINT64_MAX
#define HANDED_MAX 12u
#define DEPTH_MAX 400u /* of what comes from what: beyond, nothing is called progress */

struct loops {
	struct closure *c;
	const struct function *fn;
	struct vtb_graph_edge *edges;
	size_t n_edges, cap_edges;
	uint32_t *component;    /* by block of the function */
	uint32_t in;            /* the one that is looked at */
	bool *loop;             /* component -> an edge leads from it to it */
	unsigned depth, made;   /* nodes on the path; of which make something new */
	struct vtb_map64 state; /* node -> DONE, or how many of those there were when the path came to it */
	bool progress;
};

static bool inside(const struct loops *l, uint32_t block)
{
	return block >= l->fn->block && block < l->fn->block + l->fn->n_blocks &&
	       l->component[block - l->fn->block] == l->in;
}

static bool insn_inside(const struct loops *l, uint32_t insn)
{
	return inside(l, l->c->s->p->insns[insn].block);
}

/* ---- what a node's value comes from, inside the loop */

static void visit(struct loops *l, uint32_t node);

static bool is_exchange(const struct insn *i)
{
	return i->external ? i->external->does & DOES_ACCESS && !strncmp(i->external->name, "exchange", 8)
	                   : i->ops.code == OPS_XCHG;
}

static bool is_compare(const struct insn *i)
{
	return i->external ? i->external->does & DOES_ACCESS && !strncmp(i->external->name, "compare", 7)
	                   : i->ops.code == OPS_CMPXCHG;
}

static bool overlaps(const struct writer *w, const struct place *at)
{
	return places_meet(&w->at, at);
}

/* Who writes there in the loop; of what swaps, it is not known that it changes anything. */
static void visit_writers(struct loops *l, const struct place *at)
{
	const struct closure *c = l->c;

	for (uint32_t w = at->region < c->n_first_writer ? c->first_writer[at->region] : NONE; w != NONE;
	     w = c->writers[w].next) {
		const struct insn *i = &c->s->p->insns[c->writers[w].insn];

		if (overlaps(&c->writers[w], at) && insn_inside(l, c->writers[w].insn) && !is_exchange(i) &&
		    !is_compare(i))
			visit(l, c->writers[w].insn);
	}
}

static void visit_slot(struct loops *l, uint32_t slot)
{
	const struct closure *c = l->c;

	for (uint32_t i = l->fn->first; slot != NONE && i < l->fn->first + l->fn->n; i++)
		if (c->writes_slot[i] == slot && insn_inside(l, i))
			visit(l, i);
}

static void visit_reads(struct loops *l, uint32_t insn)
{
	struct touch t[TOUCHES];
	struct place places[PLACES];
	const int n = solve_touches(l->c->s, insn, t);

	visit_slot(l, l->c->reads_slot[insn]);
	for (int k = 0; k < n; k++) {
		const int found =
		    t[k].reads && !t[k].sure ? regions_places(&l->c->s->regions, t[k].address, t[k].size, places) : 0;

		for (int j = 0; j < found; j++)
			visit_writers(l, &places[j]);
	}
}

static bool stores_constant(struct loops *l, uint32_t insn)
{
	const struct vtb_ops *o = &l->c->s->p->insns[insn].ops;

	return !insn_is_call(&l->c->s->p->insns[insn]) && o->code == OPS_MOV &&
	       (o->op[1].type == OPS_IMM || (o->op[1].type == OPS_REG && o->op[1].reg < OPS_GPRS &&
	                                     essential_constant(l->c, solve_operand(l->c->s, insn, o->op[1].reg))));
}

/* Does the loop set what is expected to the same value each time? */
static bool resets(struct loops *l, uint32_t expected)
{
	const struct closure *c = l->c;
	struct place places[PLACES];
	const int n = regions_places(&c->s->regions, expected, 4, places);
	bool constant = n < 0;

	for (int k = 0; k < n; k++)
		for (uint32_t w = places[k].region < c->n_first_writer ? c->first_writer[places[k].region] : NONE;
		     w != NONE; w = c->writers[w].next)
			constant |= overlaps(&c->writers[w], &places[k]) && insn_inside(l, c->writers[w].insn) &&
			            stores_constant(l, c->writers[w].insn);
	return constant;
}

static bool belongs(const struct loops *l, uint32_t node)
{
	const struct node *n = &l->c->s->nodes.rows[node];

	return n->kind == NODE_INSN || n->kind == NODE_OUT
	           ? insn_inside(l, n->of)
	           : (n->kind == NODE_MEET || n->kind == NODE_GUARD || n->kind == NODE_WORD) && inside(l, n->of);
}

static bool is_reset(struct loops *l, uint32_t node, uint32_t var, unsigned depth);

/* May the value be one that the loop sets to the same each time? What is handed on is followed. */
static bool resets_value(struct loops *l, uint32_t node, unsigned depth)
{
	const struct closure *c = l->c;
	const struct node *n = &c->s->nodes.rows[node];
	const uint32_t slot = n->kind == NODE_INSN ? c->reads_slot[node] : NONE;

	if (!belongs(l, node) || n->kind == NODE_OUT)
		return false;
	if (depth > HANDED_MAX || (n->kind == NODE_INSN && essential_constant(l->c, n->value)))
		return true;
	if (n->kind != NODE_INSN)
		return is_reset(l, node, VARS, depth);
	for (uint32_t i = l->fn->first; slot != NONE && i < l->fn->first + l->fn->n; i++)
		if (c->writes_slot[i] == slot && insn_inside(l, i) &&
		    (stores_constant(l, i) || is_reset(l, i, VARS, depth)))
			return true;
	return slot == NONE && c->s->p->insns[node].ops.code == OPS_MOV && is_reset(l, node, VARS, depth);
}

/* The same of an operand of a node; of any, if `var` is VARS. */
static bool is_reset(struct loops *l, uint32_t node, uint32_t var, unsigned depth)
{
	const struct nodes *g = &l->c->s->nodes;

	for (uint32_t e = g->rows[node].operands; e != NONE; e = g->edges[e].next)
		if ((var == VARS || g->edges[e].var == var) && resets_value(l, g->edges[e].node, depth + 1))
			return true;
	return false;
}

/* One that expects what it has read itself fails only if somebody else has changed it meanwhile. */
static bool is_retry(struct loops *l, uint32_t insn)
{
	const struct insn *i = &l->c->s->p->insns[insn];

	if (!is_compare(i))
		return false;
	if (i->external && i->external->args[1] == 's')
		return !resets(l, solve_argument(l->c->s, insn, 1));
	return !is_reset(l, insn, i->external ? OPS_RSI : OPS_RAX, 0);
}

/* Does it do more than hand on what stands in a register or a word of its own? */
static bool makes(const struct loops *l, uint32_t node)
{
	const struct insn *i = &l->c->s->p->insns[node];

	if (l->c->s->nodes.rows[node].kind != NODE_INSN)
		return false;
	return i->ops.code != OPS_MOV || (i->ops.op[1].type == OPS_MEM && l->c->reads_slot[node] == NONE);
}

/* Does its value depend on that operand? What is swapped is what memory held, whatever is put there. */
static bool makes_it(const struct loops *l, uint32_t node, uint32_t var)
{
	const struct insn *i = &l->c->s->p->insns[node];
	const struct vtb_ops_operand *at = &i->ops.op[0];

	if (l->c->s->nodes.rows[node].kind != NODE_INSN || !(is_exchange(i) || is_compare(i)))
		return true;
	return i->external ? var == OPS_RDI : at->type == OPS_MEM && (var == at->base || var == at->index);
}

/* A value that comes from itself, and not unchanged: progress. */
static void visit(struct loops *l, uint32_t node)
{
	const struct nodes *g = &l->c->s->nodes;
	uint64_t *state =
	    belongs(l, node) && !l->progress && l->depth < DEPTH_MAX ? vtb_map64_put(&l->state, node, 0) : NULL;

	if (!state)
		return;
	l->progress |= *state && *state != DONE && l->made >= *state;
	if (*state)
		return;
	*state = l->made + 1u;
	l->depth++;
	l->made += makes(l, node);
	for (uint32_t e = g->rows[node].operands; e != NONE; e = g->edges[e].next)
		if (makes_it(l, node, g->edges[e].var))
			visit(l, g->edges[e].node);
	if (g->rows[node].kind == NODE_INSN) {
		l->progress |= is_retry(l, node);
		visit_reads(l, node);
	}
	l->made -= makes(l, node);
	l->depth--;
	vtb_map64_set(&l->state, node, DONE);
}

/* ---- loops */

static uint32_t last_of(const struct block *b)
{
	return b->first + b->n - 1;
}

/* May the loop be left at the block's end? */
static bool leaves(const struct loops *l, const struct block *b)
{
	const struct program *p = l->c->s->p;

	for (uint32_t k = 0; k < b->n_succ; k++)
		if (!inside(l, p->edges[b->succ + k]))
			return true;
	return b->exits;
}

static int one_loop(struct loops *l, struct essentials *e)
{
	const struct program *p = l->c->s->p;
	int r = 0;

	vtb_map64_clear(&l->state);
	l->progress = false;
	for (uint32_t b = l->fn->block; b < l->fn->block + l->fn->n_blocks; b++)
		if (inside(l, b) && leaves(l, &p->blocks[b]))
			visit(l, last_of(&p->blocks[b]));
	for (uint32_t b = l->fn->block; r >= 0 && !l->progress && b < l->fn->block + l->fn->n_blocks; b++)
		if (inside(l, b) && leaves(l, &p->blocks[b])) {
			stops_need(l->c, last_of(&p->blocks[b]), VTB_SLICE_LOCKS,
			           ITEM(ITEM_ESSENTIAL, last_of(&p->blocks[b])));
			r = essentials_add(e, l->c, last_of(&p->blocks[b]), VTB_SLICE_LOCKS,
			                   ITEM(ITEM_NODE, last_of(&p->blocks[b])), "waits in a loop", "");
		}
	return r;
}

static int list_edges(struct loops *l)
{
	const struct program *p = l->c->s->p;

	l->n_edges = 0;
	for (uint32_t b = 0; b < l->fn->n_blocks; b++) {
		const struct block *block = &p->blocks[l->fn->block + b];

		for (uint32_t k = 0; k < block->n_succ; k++) {
			if (vtb_array_room(l, edges) < 0)
				return -ENOMEM;
			l->edges[l->n_edges++] = (struct vtb_graph_edge){ b, p->edges[block->succ + k] - l->fn->block };
		}
	}
	return 0;
}

static void find_loops(struct loops *l)
{
	for (size_t k = 0; k < l->n_edges; k++)
		if (l->component[l->edges[k].from] == l->component[l->edges[k].to])
			l->loop[l->component[l->edges[k].from]] = true;
}

static int one_function(struct loops *l, struct essentials *e)
{
	struct vtb_graph g = { .n_nodes = l->fn->n_blocks };
	uint32_t n = 0;
	int r = list_edges(l);

	g.edges = l->edges;
	g.n_edges = l->n_edges;
	l->component = r < 0 ? NULL : calloc(l->fn->n_blocks + 1u, sizeof(*l->component));
	l->loop = r < 0 ? NULL : calloc(l->fn->n_blocks + 1u, sizeof(*l->loop));
	r = l->component && l->loop ? vtb_graph_components(&g, l->component, &n) : -ENOMEM;
	if (r >= 0)
		find_loops(l);
	for (l->in = 0; r >= 0 && l->in < n; l->in++)
		if (l->loop[l->in])
			r = one_loop(l, e);
	free(l->component);
	free(l->loop);
	return r;
}

int waits_find(struct essentials *e, struct closure *c)
{
	struct loops l = { .c = c };
	int r = 0;

	for (size_t f = 0; r >= 0 && f < c->s->p->n_functions; f++) {
		l.fn = &c->s->p->functions[f];
		if (l.fn->n_blocks)
			r = one_function(&l, e);
	}
	free(l.edges);
	vtb_map64_fini(&l.state);
	return r;
}
