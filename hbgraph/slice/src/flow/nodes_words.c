/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instruction a word of the frame was written by, for words that are variables. Memory is where a jump back to
 * setjmp lands what it was at the jump, so that all ways into a block count alike. */
#include "nodes.h"

static uint32_t within(const struct program *p, uint32_t first, uint32_t end, uint32_t word)
{
	for (uint32_t i = end; i-- > first;)
		if (p->writes_word[i] == word)
			return i;
	return NONE;
}

/* Before instruction `end` of a block. */
static uint32_t before(struct nodes *g, uint32_t block, uint32_t end, uint32_t word)
{
	const struct program *p = g->p;

	for (struct way_back way = { .until = 1, .marked = NONE };;) {
		const struct block *b = &p->blocks[block];
		const uint32_t found = within(p, b->first, end, word);

		if (found != NONE)
			return found;
		if (p->functions[b->function].entry == block && !b->n_pred)
			return nodes_add(g, NODE_FRESH, b->function, 0);
		if (p->functions[b->function].entry == block || b->n_pred != 1)
			return b->n_pred ? nodes_add(g, NODE_WORD, block, word) : NONE;
		if (way_back_is_round(&way, block))
			return NONE;
		block = p->edges[b->pred];
		end = p->blocks[block].first + p->blocks[block].n;
	}
}

uint32_t nodes_word(struct nodes *g, uint32_t i)
{
	const uint32_t word = g->p->reads_word ? g->p->reads_word[i] : NONE;

	return word == NONE ? NONE : before(g, g->p->insns[i].block, i, word);
}

int nodes_fill_word(struct nodes *g, uint32_t node)
{
	const struct node n = g->rows[node];
	const struct program *p = g->p;
	const struct block *b = &p->blocks[n.of];
	int r = 0;

	if (p->functions[b->function].entry == n.of)
		r = nodes_link(g, node, nodes_add(g, NODE_FRESH, b->function, 0), VAR_WORD);
	for (uint32_t k = 0; r >= 0 && k < b->n_pred; k++) {
		const uint32_t from = p->edges[b->pred + k];

		r = nodes_link(g, node, before(g, from, p->blocks[from].first + p->blocks[from].n, n.var), VAR_WORD);
	}
	return r;
}
