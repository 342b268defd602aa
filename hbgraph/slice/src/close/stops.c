/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that do not return: of what ends the thread or the process, and of what throws. */
#include "closure.h"

void stops_need(struct closure *c, uint32_t i, uint32_t kinds, uint64_t why)
{
	const struct nodes *g = &c->s->nodes;
	const struct insn *insn = &c->s->p->insns[i];
	uint64_t target;

	if (!insn_is_call(insn))
		return;
	if (insn->callee != NONE)
		closure_need(c, ITEM(ITEM_STOPS, insn->callee), kinds, why);
	if (!insn->indirect)
		return;
	closure_need(c, ITEM(ITEM_NODE, i), kinds, why);
	for (uint32_t k = vtb_map64_get(&g->targets, i, &target) ? (uint32_t)target : NONE; k != NONE;
	     k = g->callees[k].next)
		closure_need(c, ITEM(ITEM_STOPS, g->callees[k].node), kinds, why);
}

static bool stops(const struct program *p, const struct insn *i)
{
	if (i->external)
		return i->external->does & (DOES_STOP | DOES_ANYTHING | DOES_THROW);
	return i->flow == FLOW_STOP || (insn_is_call(i) && (i->callee == NONE || p->functions[i->callee].may_stop));
}

void stops_follow(struct closure *c, uint32_t f, uint32_t kinds, uint64_t why)
{
	const struct program *p = c->s->p;
	const struct function *fn = &p->functions[f];

	for (uint32_t i = fn->first; i < fn->first + fn->n; i++) {
		if (!stops(p, &p->insns[i]))
			continue;
		closure_need(c, ITEM(ITEM_BLOCK, p->insns[i].block), kinds, why);
		if (p->insns[i].external && p->insns[i].external->does & DOES_THROW)
			closure_need(c, ITEM(ITEM_NODE, i), kinds, why);
		stops_need(c, i, kinds, why);
	}
}

void stops_destroy(struct closure *c, const struct caller *caller, uint32_t kinds, uint64_t why)
{
	const struct program *p = c->s->p;
	const struct summary *x = p->insns[caller->insn].external;

	if (!caller->wild || !x || !(x->does & DOES_THROW))
		return;
	for (uint32_t i = 0; i < p->n_insns; i++)
		if (p->insns[i].external && p->insns[i].external->does & DOES_CATCH)
			closure_need(c, ITEM(ITEM_NODE, i), kinds, why);
}
