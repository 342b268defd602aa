/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a hook's call, or a pad, to the instructions whose access it tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "essential.h"
#include "sharing.h"
#include "vtb/array.h"
#include "vtb/slice.h"

size_t sites_items(struct closure *c, uint32_t insn, bool hook, uint64_t *ret, size_t max)
{
	if (hook) {
		const size_t n = told_by(c, insn, false, false, ret, max);

		return n ? n : told_by(c, insn, true, false, ret, max);
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

/* Can another thread's access be in conflict with what the place does? */
static bool is_shared(struct sharing *s, uint32_t insn, bool hook)
{
	uint64_t items[256];
	const size_t n = sites_items(s->c, insn, hook, items, 256);

	for (size_t k = 0; k < n; k++)
		if (sharing_is_shared(s, (uint32_t)items[k]))
			return true;
	return !n || n == 256;
}

static int add(struct sites *t, struct sharing *s, uint32_t insn, uint64_t addr, bool access, bool hook)
{
	const uint32_t alone = access && !is_shared(s, insn, hook) ? VTB_SLICE_ALONE : 0;

	if (vtb_array_room(t, rows) < 0)
		return -ENOMEM;
	t->rows[t->n_rows++] =
	    (struct site){ .addr = addr, .kinds = kinds_at(s->c, insn, hook) | alone, .access = access, .insn = insn };
	return 0;
}

static bool is_access(const struct summary *x)
{
	return x && x->does & (DOES_HOOK | DOES_ACCESS);
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
		const uint32_t alone = n ? t->rows[n - 1].kinds & t->rows[k].kinds & VTB_SLICE_ALONE : 0;

		if (n && t->rows[n - 1].addr == t->rows[k].addr)
			t->rows[n - 1].kinds =
			    ((t->rows[n - 1].kinds | t->rows[k].kinds) & ~(uint32_t)VTB_SLICE_ALONE) | alone;
		else
			t->rows[n++] = t->rows[k];
	}
	t->n_rows = n;
}

int sites_find(struct sites *t, struct closure *c)
{
	const struct program *p = c->s->p;
	size_t n_pads;
	uint64_t *pads = told_pads(&p->image, &n_pads);
	struct sharing s;
	int r = sharing_init(&s, c);

	t->n_rows = 0;
	for (uint32_t i = 0; r >= 0 && i < p->n_insns; i++) {
		const struct insn *insn = &p->insns[i];
		const struct summary *x = insn->external;

		if (n_pads && bsearch(&insn->addr, pads, n_pads, sizeof(*pads), told_by_number))
			r = add(t, &s, i, insn->addr, true, false);
		if (r >= 0 && insn_is_call(insn))
			r = add(t, &s, i, insn->addr + insn->size, is_access(x), x && x->does & DOES_HOOK);
	}
	sharing_fini(&s);
	free(pads);
	unite(t);
	return r;
}
