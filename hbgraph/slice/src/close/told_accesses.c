/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which accesses vtb is told of: by a hook's call before them, by a pad, or by the function that does them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "closure.h"
#include "vtb/array.h"
#include "vtb/pad_site.h"

#define BLOCKS_MAX 64u
#define ITEMS_MAX 256u

/* Where its thread's own variables are, and the like: no hook tells of what the thread's control block holds. */
static bool reads_control_block(const struct insn *insn)
{
	for (unsigned k = 0; k < insn->ops.n_access; k++) {
		const struct vtb_ops_operand *op =
		    insn->ops.access[k].operand < 3 ? &insn->ops.op[insn->ops.access[k].operand] : NULL;

		if (op && op->segment == 1 && op->base == OPS_NO_REG && op->index == OPS_NO_REG && op->value >= 0)
			return true;
	}
	return false;
}

/* Does it do what a hook before it tells? Words that no other function can touch come into question last. */
static bool is_told(struct closure *c, uint32_t i, bool writes, bool private)
{
	struct touch t[TOUCHES];
	const struct insn *insn = &c->s->p->insns[i];
	const int n = insn_is_call(insn) || reads_control_block(insn) ? 0 : solve_touches(c->s, i, t);

	if (n < 0)
		return true;
	for (int k = 0; k < n; k++) {
		const bool own = t[k].sure && ((t[k].writes && c->writes_slot[i] != NONE) ||
		                               (t[k].reads && c->reads_slot[i] != NONE));

		if (own == private && (writes ? t[k].writes : t[k].reads))
			return true;
	}
	return false;
}

/* The instructions from the hook's call to the next call, whichever way. */
struct search {
	uint32_t blocks[BLOCKS_MAX];
	size_t n_blocks;
	uint64_t *ret;
	size_t n, max;
	bool writes, private, first;
};

/* True: the way goes on behind the block. */
static bool look_through(struct closure *c, struct search *x, const struct block *b, uint32_t i)
{
	const struct program *p = c->s->p;

	for (; i < b->first + b->n && !insn_is_call(&p->insns[i]); i++) {
		if (!is_told(c, i, x->writes, x->private))
			continue;
		if (x->n < x->max)
			x->ret[x->n++] = ITEM(ITEM_NODE, i);
		if (x->first)
			return false;
	}
	return i == b->first + b->n;
}

static bool add_block(struct search *x, uint32_t to)
{
	for (size_t k = 1; k < x->n_blocks; k++)
		if (x->blocks[k] == to)
			return true;
	if (x->n_blocks == BLOCKS_MAX)
		return false;
	x->blocks[x->n_blocks++] = to;
	return true;
}

size_t told_by(struct closure *c, uint32_t call, bool private, bool first, uint64_t *ret, size_t max)
{
	const struct program *p = c->s->p;
	struct search x = { .blocks = { p->insns[call].block },
		            .n_blocks = 1,
		            .ret = ret,
		            .max = max,
		            .writes = p->insns[call].external->size,
		            .private = private,
		            .first = first };

	for (size_t k = 0; k < x.n_blocks; k++) {
		const struct block *b = &p->blocks[x.blocks[k]];

		if (!look_through(c, &x, b, k ? b->first : call + 1))
			continue;
		for (uint32_t e = 0; e < b->n_succ; e++)
			if (!add_block(&x, p->edges[b->succ + e]))
				return 0;
	}
	return x.n == max ? 0 : x.n;
}

uint64_t *told_pads(const struct image *im, size_t *ret_n)
{
	uint64_t *pads = NULL;
	size_t n = 0, cap = 0;

	for (size_t k = 0; k < im->n_sections; k++) {
		const struct image_section *s = &im->sections[k];

		for (uint64_t at = 0; s->pads && s->bytes && at + sizeof(struct vtb_pad_site) <= s->size;
		     at += sizeof(struct vtb_pad_site)) {
			struct vtb_pad_site x;

			memcpy(&x, s->bytes + at, sizeof(x));
			if (vtb_pad_kind(x.info) == VTB_PAD_ANCHOR || vtb_pad_kind(x.info) == VTB_PAD_SKIPPED)
				continue;
			if (vtb_array_reserve((void **)&pads, &cap, n + 1, sizeof(*pads)) < 0)
				break;
			pads[n++] = s->addr + at + (uint64_t)(int64_t)x.pad + VTB_PAD_SIZE;
		}
	}
	if (n)
		qsort(pads, n, sizeof(*pads), told_by_number);
	*ret_n = n;
	return pads;
}

int told_by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A hook tells one access; one of a range, or of 16 bytes, tells all that belong to it. */
static void mark_hook(struct closure *c, uint32_t call)
{
	const struct summary *x = c->s->p->insns[call].external;
	uint64_t items[ITEMS_MAX];
	size_t n = told_by(c, call, false, !(x->does & DOES_RANGE), items, ITEMS_MAX);

	for (size_t k = 0; k < n; k++)
		c->told[(uint32_t)items[k]] |= x->size ? TOLD_WRITES : TOLD_READS;
}

int told_find(struct closure *c)
{
	const struct program *p = c->s->p;
	size_t n_pads;
	uint64_t *pads = told_pads(&p->image, &n_pads);

	c->told = calloc(p->n_insns + 1u, sizeof(*c->told));
	for (uint32_t i = 0; c->told && i < p->n_insns; i++) {
		const struct insn *insn = &p->insns[i];

		if (n_pads && bsearch(&insn->addr, pads, n_pads, sizeof(*pads), told_by_number))
			c->told[i] = TOLD_READS | TOLD_WRITES;
		if (insn->external && insn->external->does & (DOES_ACCESS | DOES_HOOK))
			c->told[i] = TOLD_READS | TOLD_WRITES;
		if (insn->external && insn->external->does & DOES_HOOK)
			mark_hook(c, i);
	}
	free(pads);
	return c->told ? 0 : -ENOMEM;
}

bool told_nobody(const struct closure *c, uint32_t insn, unsigned what)
{
	return !(c->told[insn] & what);
}
