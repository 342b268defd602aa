/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions are looked for backwards, and only where somebody asks. */
#include "nodes.h"

#include "guards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

static uint64_t key_of(enum node_kind kind, uint32_t of, uint32_t var)
{
	return (uint64_t)kind << 60 | (uint64_t)of << 24 | var;
}

uint32_t nodes_add(struct nodes *g, enum node_kind kind, uint32_t of, uint32_t var)
{
	uint64_t id;

	if (vtb_map64_get(&g->known, key_of(kind, of, var), &id))
		return (uint32_t)id;
	if (vtb_array_room(g, rows) < 0 || vtb_array_room(g, pending) < 0 ||
	    vtb_map64_set(&g->known, key_of(kind, of, var), g->n_rows) < 0) {
		g->failed = true;
		return NONE;
	}
	g->pending[g->n_pending++] = (uint32_t)g->n_rows;
	g->rows[g->n_rows] =
	    (struct node){ .kind = (uint8_t)kind, .of = of, .var = var, .operands = NONE, .users = NONE };
	return (uint32_t)g->n_rows++;
}

static int add_edge(struct nodes *g, uint32_t *first, uint32_t node, uint32_t var)
{
	if (vtb_array_room(g, edges) < 0)
		return -ENOMEM;
	g->edges[g->n_edges] = (struct edge){ .node = node, .next = *first, .var = var };
	*first = (uint32_t)g->n_edges++;
	return 0;
}

int nodes_link(struct nodes *g, uint32_t user, uint32_t operand, uint32_t var)
{
	if (operand == NONE)
		return 0;
	for (uint32_t e = g->rows[user].operands; e != NONE && user >= g->p->n_insns; e = g->edges[e].next)
		if (g->edges[e].node == operand)
			return 0;
	if (add_edge(g, &g->rows[user].operands, operand, var) < 0 ||
	    add_edge(g, &g->rows[operand].users, user, var) < 0)
		return -ENOMEM;
	if (g->changed)
		g->changed(g->arg, user);
	return 0;
}

/* ---- looking back */

static bool defines(const struct insn *i, uint32_t var)
{
	return i->defs >> var & 1;
}

static uint32_t definition(struct nodes *g, uint32_t i, uint32_t var)
{
	return insn_is_call(&g->p->insns[i]) ? nodes_add(g, NODE_OUT, i, var) : i;
}

static uint32_t within(struct nodes *g, const struct block *b, uint32_t end, uint32_t var)
{
	for (uint32_t i = end; i-- > b->first;)
		if (defines(&g->p->insns[i], var))
			return definition(g, i, var);
	return NONE;
}

/* Does the way from one block to another give the variable a value that the end of the first does not have? */
static bool is_landed(const struct nodes *g, uint32_t from, uint32_t to, uint32_t var)
{
	return CALL_DEFS >> var & 1 && block_lands(g->p, from, to);
}

/* On the way from one block to another. NONE: the branch between them tells nothing of it. */
static uint32_t guard(struct nodes *g, uint32_t from, uint32_t to, uint32_t var)
{
	if (!guards_tell(g->p, from, var))
		return NONE;
	return nodes_add(g, NODE_GUARD, from, var | (guards_taken(g->p, from, to) ? GUARD_TAKEN : 0));
}

static uint32_t at_start(struct nodes *g, uint32_t block, uint32_t var)
{
	const struct program *p = g->p;

	for (struct way_back way = { .until = 1, .marked = NONE };;) {
		const struct block *b = &p->blocks[block];
		uint32_t guarded;

		if (p->functions[b->function].entry == block)
			return b->n_pred ? nodes_add(g, NODE_MEET, block, var)
			                 : nodes_add(g, NODE_PARAM, b->function, var);
		if (b->n_pred != 1 || is_landed(g, p->edges[b->pred], block, var))
			return b->n_pred ? nodes_add(g, NODE_MEET, block, var) : NONE;
		guarded = guard(g, p->edges[b->pred], block, var);
		if (guarded != NONE)
			return guarded;
		block = p->edges[b->pred];
		b = &p->blocks[block];
		if (g->defines[block] >> var & 1)
			return within(g, b, b->first + b->n, var);
		if (way_back_is_round(&way, block))
			return NONE;
	}
}

static uint32_t at_end(struct nodes *g, uint32_t block, uint32_t var)
{
	const struct block *b = &g->p->blocks[block];

	return g->defines[block] >> var & 1 ? within(g, b, b->first + b->n, var) : at_start(g, block, var);
}

uint32_t nodes_before(struct nodes *g, uint32_t i, uint32_t var)
{
	const uint32_t block = g->p->insns[i].block;
	const uint32_t found = within(g, &g->p->blocks[block], i, var);

	return found != NONE ? found : at_start(g, block, var);
}

uint32_t nodes_leaving(struct nodes *g, uint32_t i, uint32_t var)
{
	const struct insn *insn = &g->p->insns[i];

	if (insn->flow == FLOW_TAIL && defines(insn, var))
		return nodes_add(g, NODE_OUT, i, var);
	return nodes_before(g, i, var);
}

/* ---- operands of what is no instruction */

/* Where setjmp returns again, registers are as they were there: the way from there counts. */
static bool is_again(const struct nodes *g, uint32_t from, uint32_t to)
{
	const struct block *b = &g->p->blocks[from];

	return block_lands(g->p, from, to) && g->p->insns[b->first + b->n - 1].again;
}

static int link_way(struct nodes *g, uint32_t node, uint32_t from)
{
	const struct node n = g->rows[node];
	const uint32_t guarded = guard(g, from, n.of, n.var);
	const struct block *b = &g->p->blocks[from];
	int r = 0;

	if (is_again(g, from, n.of) && !block_falls(g->p, from, n.of))
		return 0;
	if (is_landed(g, from, n.of, n.var) && !is_again(g, from, n.of))
		r = nodes_link(g, node, nodes_add(g, NODE_LAND, b->first + b->n - 1, n.var), n.var);
	if (r >= 0 && (!is_landed(g, from, n.of, n.var) || block_falls(g->p, from, n.of)))
		r = nodes_link(g, node, guarded != NONE ? guarded : at_end(g, from, n.var), n.var);
	return r;
}

static int fill_meet(struct nodes *g, uint32_t node)
{
	const struct node n = g->rows[node];
	const struct block *b = &g->p->blocks[n.of];
	int r = 0;

	if (g->p->functions[b->function].entry == n.of)
		r = nodes_link(g, node, nodes_add(g, NODE_PARAM, b->function, n.var), n.var);
	for (uint32_t k = 0; r >= 0 && k < b->n_pred; k++)
		r = link_way(g, node, g->p->edges[b->pred + k]);
	return r;
}

static int fill_guard(struct nodes *g, uint32_t node)
{
	const uint32_t var = g->rows[node].var & ~GUARD_TAKEN;

	return nodes_link(g, node, at_end(g, g->rows[node].of, var), var);
}

static int fill_state(struct nodes *g, uint32_t node)
{
	const uint32_t i = g->rows[node].of;
	const int r = nodes_link(g, node, i, VARS);

	return r < 0 ? r : nodes_link(g, node, nodes_before(g, i, OPS_RSI), OPS_RSI);
}

static int link_param(struct nodes *g, uint32_t param, const struct caller *c)
{
	const uint32_t var = g->rows[param].var;

	const struct summary *x = g->p->insns[c->insn].external;

	if (c->wild || (c->thread && var != OPS_RDI))
		return 0;
	if (c->thread && x && x->does & DOES_RUN)
		return nodes_link(g, param, nodes_add(g, NODE_STATE, c->insn, 0), var);
	return nodes_link(g, param, nodes_before(g, c->insn, c->thread ? OPS_RCX : var), var);
}

static int chain(struct nodes *g, uint32_t *first, uint32_t node)
{
	const uint32_t next = *first;

	*first = node;
	return vtb_map64_set(&g->more, node, next);
}

static int fill_param(struct nodes *g, uint32_t node)
{
	const uint32_t f = g->rows[node].of;
	int r = chain(g, &g->param[f], node);

	for (uint32_t c = g->called[f]; r >= 0 && c != NONE; c = g->callers[c].next) {
		const struct caller caller = g->callers[c];

		r = link_param(g, node, &caller);
	}
	return r;
}

static int link_out(struct nodes *g, uint32_t out, uint32_t f)
{
	const struct function *fn = &g->p->functions[f];
	const uint32_t var = g->rows[out].var;
	int r = 0;

	for (uint32_t b = fn->block; r >= 0 && b < fn->block + fn->n_blocks; b++) {
		const struct block *block = &g->p->blocks[b];
		const uint32_t last = block->first + block->n - 1;
		const uint8_t flow = g->p->insns[last].flow;

		if (flow == FLOW_RET || flow == FLOW_TAIL)
			r = nodes_link(g, out, nodes_leaving(g, last, var), var);
	}
	return r;
}

static int fill_out(struct nodes *g, uint32_t node)
{
	const uint32_t i = g->rows[node].of;
	const struct insn *insn = &g->p->insns[i];
	uint64_t *first = vtb_map64_put(&g->outs, i, NONE);
	uint32_t head;
	uint64_t callee;
	int r;

	if (!first)
		return -ENOMEM;
	head = (uint32_t)*first;
	r = chain(g, &head, node);
	*first = head;
	if (r >= 0)
		r = nodes_link(g, node, i, g->rows[node].var);
	if (r >= 0 && insn->callee != NONE)
		r = link_out(g, node, insn->callee);
	if (!vtb_map64_get(&g->targets, i, &callee))
		callee = NONE;
	for (uint32_t c = (uint32_t)callee; r >= 0 && c != NONE; c = g->callees[c].next)
		r = link_out(g, node, g->callees[c].node);
	return r;
}

int nodes_fill(struct nodes *g)
{
	int r = 0;

	while (r >= 0 && !g->failed && g->n_pending) {
		const uint32_t node = g->pending[--g->n_pending];

		if (g->rows[node].kind == NODE_MEET)
			r = fill_meet(g, node);
		else if (g->rows[node].kind == NODE_LAND)
			r = nodes_link(g, node, g->rows[node].of, g->rows[node].var);
		else if (g->rows[node].kind == NODE_STATE)
			r = fill_state(g, node);
		else if (g->rows[node].kind == NODE_GUARD)
			r = fill_guard(g, node);
		else if (g->rows[node].kind == NODE_PARAM)
			r = fill_param(g, node);
		else if (g->rows[node].kind == NODE_OUT)
			r = fill_out(g, node);
		else if (g->rows[node].kind == NODE_WORD)
			r = nodes_fill_word(g, node);
	}
	return g->failed ? -ENOMEM : r;
}

/* ---- calls */

static int add_target(struct nodes *g, uint32_t i, uint32_t f)
{
	uint64_t *first = vtb_map64_put(&g->targets, i, NONE);
	uint64_t out;
	int r = 0;

	if (!first || vtb_array_room(g, callees) < 0)
		return -ENOMEM;
	g->callees[g->n_callees] = (struct edge){ .node = f, .next = (uint32_t)*first };
	*first = g->n_callees++;
	for (uint32_t n = vtb_map64_get(&g->outs, i, &out) ? (uint32_t)out : NONE; r >= 0 && n != NONE;) {
		uint64_t next = NONE;

		r = link_out(g, n, f);
		vtb_map64_get(&g->more, n, &next);
		n = (uint32_t)next;
	}
	return r;
}

bool nodes_call(struct nodes *g, uint32_t i, uint32_t f, bool thread, bool wild)
{
	const struct insn *insn = &g->p->insns[i];
	struct caller c = { .insn = i, .next = g->called[f], .thread = thread, .wild = wild };

	for (uint32_t k = g->called[f]; k != NONE; k = g->callers[k].next)
		if (g->callers[k].insn == i)
			return false;
	if (vtb_array_room(g, callers) < 0) {
		g->failed = true;
		return false;
	}
	g->called[f] = (uint32_t)g->n_callers;
	g->callers[g->n_callers++] = c;
	for (uint32_t n = g->param[f]; n != NONE;) {
		uint64_t next = NONE;

		g->failed |= link_param(g, n, &c) < 0;
		vtb_map64_get(&g->more, n, &next);
		n = (uint32_t)next;
	}
	if (insn->indirect && !thread && !wild)
		g->failed |= add_target(g, i, f) < 0;
	return true;
}
