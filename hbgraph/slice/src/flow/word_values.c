/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What words of the frame hold that are variables: what was last written there, not whatever ever was. */
#include "solve.h"

/* What the node leaves in the word. */
static uint32_t left(struct solve *s, uint32_t node)
{
	const struct node *n = &s->nodes.rows[node];

	return n->kind == NODE_INSN ? transfer_stored(s, &s->p->insns[node].ops, n->value) : n->value;
}

static uint32_t operands_joined(struct solve *s, uint32_t first)
{
	uint32_t v = VALUE_NONE;

	for (uint32_t e = first; e != NONE; e = s->nodes.edges[e].next)
		if (s->nodes.edges[e].var == VAR_WORD)
			v = value_join(&s->values, v, left(s, s->nodes.edges[e].node));
	return v;
}

uint32_t words_joined(struct solve *s, const struct node *n)
{
	return operands_joined(s, n->operands);
}

bool words_load(struct solve *s, uint32_t i, uint32_t address, unsigned size, uint32_t *ret)
{
	const struct program *p = s->p;
	const uint32_t word = p->reads_word && i < p->n_insns ? p->reads_word[i] : NONE; /* not every node is one */
	const struct value *at = value_at(&s->values, address);
	uint32_t v;

	if (word == NONE || at->any || at->number || at->n != 1 ||
	    at->pair[0].region != REGION(REGION_FRAME, p->blocks[p->insns[i].block].function) ||
	    at->pair[0].lo != at->pair[0].hi || at->pair[0].lo != p->words[word].at || size != p->words[word].size)
		return false;
	v = operands_joined(s, s->nodes.rows[i].operands);
	*ret = size == 4 ? value_low(&s->values, v) : v;
	return true;
}
