/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node for each instruction, with what it uses. */
#include "nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

static int link_uses(struct nodes *g, uint32_t i)
{
	int r = 0;

	for (uint32_t var = 0; r >= 0 && var < VARS; var++)
		if (g->p->insns[i].uses >> var & 1)
			r = nodes_link(g, i, nodes_before(g, i, var), var);
	return r < 0 ? r : nodes_link(g, i, nodes_word(g, i), VAR_WORD);
}

static const uint8_t arguments[6] = { OPS_RDI, OPS_RSI, OPS_RDX, OPS_RCX, 8, 9 };

/* What a function of another module is given counts as used by the call. */
static void add_arguments(struct insn *i)
{
	const struct summary *s = i->external;
	const unsigned n = !s ? 0 : s->does & (DOES_REST | DOES_SCAN) ? 6 : (unsigned)strlen(s->args);

	for (unsigned k = 0; k < n && k < 6; k++)
		i->uses |= VAR_BIT(arguments[k]);
	if (s && s->does & (DOES_REST | DOES_ANYTHING | DOES_FLOAT))
		i->uses |= 0xffull << VAR_VECTOR;
}

int nodes_init(struct nodes *g, struct program *p)
{
	const size_t n = p->n_functions + 1;
	int r = 0;

	g->p = p;
	g->called = malloc(n * sizeof(*g->called));
	g->param = malloc(n * sizeof(*g->param));
	g->defines = calloc(p->n_blocks + 1, sizeof(*g->defines));
	if (!g->called || !g->param || !g->defines)
		return -ENOMEM;
	for (size_t f = 0; f < n; f++)
		g->called[f] = g->param[f] = NONE;
	for (size_t i = 0; i < p->n_insns; i++) {
		add_arguments(&p->insns[i]);
		g->defines[p->insns[i].block] |= p->insns[i].defs;
		if (vtb_array_room(g, rows) < 0)
			return -ENOMEM;
		g->rows[g->n_rows++] = (struct node){ .of = (uint32_t)i, .operands = NONE, .users = NONE };
	}
	g->result = nodes_add(g, NODE_RESULT, 0, 0);
	g->handed = nodes_add(g, NODE_RESULT, 1, 0);
	for (uint32_t i = 0; i < p->n_insns; i++)
		if (insn_is_call(&p->insns[i]) && p->insns[i].callee != NONE)
			nodes_call(g, i, p->insns[i].callee, false, false);
	for (uint32_t i = 0; r >= 0 && i < p->n_insns; i++)
		r = link_uses(g, i);
	return r < 0 ? r : nodes_fill(g);
}

void nodes_fini(struct nodes *g)
{
	free(g->rows);
	free(g->edges);
	free(g->callers);
	free(g->called);
	free(g->param);
	free(g->callees);
	free(g->defines);
	free(g->pending);
	vtb_map64_fini(&g->outs);
	vtb_map64_fini(&g->more);
	vtb_map64_fini(&g->targets);
	vtb_map64_fini(&g->known);
}
