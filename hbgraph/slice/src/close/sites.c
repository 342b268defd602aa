/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a hook's call, or a pad, to the instructions whose access it tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "essential.h"
#include "vtb/array.h"
#include "vtb/pad_site.h"
#include "vtb/slice.h"

#define BLOCKS_MAX 64u

/* Does it do what a hook before it tells? Words that no other function can touch come into question last. */
static bool is_told(struct closure *c, uint32_t i, bool writes, bool private)
{
	struct touch t[TOUCHES];
	const int n = insn_is_call(&c->s->p->insns[i]) ? 0 : solve_touches(c->s, i, t);

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
static size_t told_by(struct closure *c, uint32_t call, bool private, uint64_t *ret, size_t max)
{
	const struct program *p = c->s->p;
	const bool writes = p->insns[call].external->size;
	uint32_t blocks[BLOCKS_MAX] = { p->insns[call].block };
	size_t n_blocks = 1, n = 0;

	for (size_t k = 0; k < n_blocks; k++) {
		const struct block *b = &p->blocks[blocks[k]];
		uint32_t i = k ? b->first : call + 1;

		for (; i < b->first + b->n && !insn_is_call(&p->insns[i]); i++)
			if (n < max && is_told(c, i, writes, private))
				ret[n++] = ITEM(ITEM_NODE, i);
		if (i < b->first + b->n)
			continue;
		for (uint32_t e = 0; e < b->n_succ; e++) {
			const uint32_t to = p->edges[b->succ + e];
			size_t known = 0;

			while (known < n_blocks && (known == 0 || blocks[known] != to))
				known++;
			if (known < n_blocks)
				continue;
			if (n_blocks == BLOCKS_MAX)
				return 0;
			blocks[n_blocks++] = to;
		}
	}
	return n == max ? 0 : n;
}

size_t sites_items(struct closure *c, uint32_t insn, bool hook, uint64_t *ret, size_t max)
{
	if (hook) {
		const size_t n = told_by(c, insn, false, ret, max);

		return n ? n : told_by(c, insn, true, ret, max);
	}
	ret[0] = ITEM(ITEM_NODE, insn);
	return 1;
}

static uint32_t kinds_at(struct closure *c, uint32_t insn, bool hook)
{
	uint64_t items[256];
	const size_t n = sites_items(c, insn, hook, items, 256);
	uint32_t kinds = n ? 0 : VTB_SLICE_ALL;

	for (size_t k = 0; k < n; k++)
		kinds |= closure_kinds(c, items[k]);
	return kinds;
}

static int add(struct sites *t, struct closure *c, uint32_t insn, uint64_t addr, bool access, bool hook)
{
	if (vtb_array_room(t, rows) < 0)
		return -ENOMEM;
	t->rows[t->n_rows++] =
	    (struct site){ .addr = addr, .kinds = kinds_at(c, insn, hook), .access = access, .insn = insn };
	return 0;
}

static bool is_access(const struct summary *x)
{
	return x && x->does & (DOES_HOOK | DOES_ACCESS);
}

/* Addresses behind pads, in order. */
static uint64_t *pads_of(const struct image *im, size_t *ret_n)
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
	*ret_n = n;
	return pads;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int by_address(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Code that stands in two functions has one answer. */
static void unite(struct sites *t)
{
	size_t n = 0;

	if (t->n_rows)
		qsort(t->rows, t->n_rows, sizeof(*t->rows), by_address);
	for (size_t k = 0; k < t->n_rows; k++) {
		if (n && t->rows[n - 1].addr == t->rows[k].addr)
			t->rows[n - 1].kinds |= t->rows[k].kinds;
		else
			t->rows[n++] = t->rows[k];
	}
	t->n_rows = n;
}

int sites_find(struct sites *t, struct closure *c)
{
	const struct program *p = c->s->p;
	size_t n_pads;
	uint64_t *pads = pads_of(&p->image, &n_pads);
	int r = 0;

	if (n_pads)
		qsort(pads, n_pads, sizeof(*pads), by_number);
	t->n_rows = 0;
	for (uint32_t i = 0; r >= 0 && i < p->n_insns; i++) {
		const struct insn *insn = &p->insns[i];
		const struct summary *x = insn->external;

		if (n_pads && bsearch(&insn->addr, pads, n_pads, sizeof(*pads), by_number))
			r = add(t, c, i, insn->addr, true, false);
		if (r >= 0 && insn_is_call(insn))
			r = add(t, c, i, insn->addr + insn->size, is_access(x), x && x->does & DOES_HOOK);
	}
	free(pads);
	unite(t);
	return r;
}
