/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "essential.h"
#include "vtb/array.h"
#include "vtb/log.h"

struct analysis {
	struct program program;
	struct solve solve;
	struct closure closure;
	struct essentials essentials;
	struct sites sites;
};

#define TWICE_MAX 400000u /* instructions of which values are found twice: some seconds */

/* Values, and once more when it is known which words of frames are variables like registers. */
static int solve(struct analysis *a)
{
	int r = solve_run(&a->solve, &a->program);

	if (r >= 0 && !a->program.doubt && a->program.n_insns <= TWICE_MAX)
		r = words_find(&a->solve);
	if (r < 0 || a->program.doubt || !a->program.n_words)
		return r;
	solve_fini(&a->solve);
	a->solve = (struct solve){ .p = NULL };
	return solve_run(&a->solve, &a->program);
}

/* One step after the other, as long as nothing speaks against it. */
static int steps(struct analysis *a, const struct named *named)
{
	struct program *p = &a->program;
	int r = program_discover(p);

	vtb_debug("Discover: functions=%zu, instructions=%zu", p->n_functions, p->n_insns);
	if (r >= 0 && !p->doubt)
		r = program_frames(p);
	if (r >= 0 && !p->doubt)
		r = program_control(p);
	if (r >= 0 && !p->doubt)
		r = solve(a);
	vtb_debug("Solve: steps=%llu, nodes=%zu, values=%zu", (unsigned long long)a->solve.steps, a->solve.nodes.n_rows,
	          a->solve.values.n_rows);
	if (r >= 0 && !p->doubt)
		r = closure_init(&a->closure, &a->solve);
	if (r >= 0 && !p->doubt)
		r = essentials_find(&a->essentials, &a->closure, named);
	if (r >= 0 && !p->doubt)
		r = closure_run(&a->closure);
	vtb_debug("Close: essentials=%zu", a->essentials.n_rows);
	return r;
}

static int analyse(struct analysis *a, const char *path, const char *list)
{
	struct named named = { .list = list, .path = path };
	int r = *list ? vtb_symbols_new(&named.symbols) : 0;

	if (r >= 0)
		r = steps(a, &named);
	vtb_symbols_free(named.symbols);
	return r;
}

int analysis_new(const char *path, const char *named, struct analysis **ret, struct vtb_error *err)
{
	struct analysis *a = calloc(1, sizeof(*a));
	int r = a ? image_open(&a->program.image, path, err) : -ENOMEM;

	if (r >= 0) {
		a->program.doubt = a->program.image.doubt;
		r = a->program.doubt ? 0 : analyse(a, path, named);
		if (r < 0)
			vtb_error_set(err, r, path, 0, "cannot analyse it");
	}
	if (r < 0) {
		analysis_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	closure_fini(&a->closure);
	solve_fini(&a->solve);
	program_fini(&a->program);
	free(a->essentials.rows);
	free(a->sites.rows);
	free(a);
}

void kept_fini(struct kept *k)
{
	free(k->sites);
	free(k->essentials);
	*k = (struct kept){ .n_sites = 0 };
}

static int by_address(const void *a, const void *b)
{
	const struct kept_essential *x = a, *y = b;

	return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr)
	                          : (x->kinds > y->kinds) - (x->kinds < y->kinds);
}

static int keep_essentials(const struct analysis *a, struct kept *k)
{
	for (size_t i = 0; i < a->essentials.n_rows; i++) {
		const struct essential *e = &a->essentials.rows[i];

		if (vtb_array_room(k, essentials) < 0)
			return -ENOMEM;
		k->essentials[k->n_essentials] = (struct kept_essential){ .addr = e->addr, .kinds = e->kinds };
		snprintf(k->essentials[k->n_essentials++].what, sizeof(k->essentials->what), "%s", e->what);
	}
	if (k->n_essentials)
		qsort(k->essentials, k->n_essentials, sizeof(*k->essentials), by_address);
	return 0;
}

int analysis_keep(struct analysis *a, struct kept *k)
{
	int r = a->program.doubt ? 0 : sites_find(&a->sites, &a->closure);

	kept_fini(k);
	if (r < 0)
		return r;
	if (a->program.doubt)
		snprintf(k->doubt, sizeof(k->doubt), "%s", a->program.doubt);
	for (size_t i = 0; i < a->sites.n_rows; i++) {
		const struct site *s = &a->sites.rows[i];

		if (vtb_array_room(k, sites) < 0)
			return -ENOMEM;
		k->sites[k->n_sites++] = (struct kept_site){ s->addr, s->kinds, s->access };
	}
	k->blind = a->closure.blind ? VTB_SLICE_BLIND : 0;
	return keep_essentials(a, k);
}

/* ---- one place */

static int by_site(const void *key, const void *row)
{
	const uint64_t addr = *(const uint64_t *)key, at = ((const struct site *)row)->addr;

	return (addr > at) - (addr < at);
}

static const struct site *site_at(struct analysis *a, uint64_t addr)
{
	if (!a->sites.n_rows && sites_find(&a->sites, &a->closure) < 0)
		return NULL;
	return a->sites.n_rows ? bsearch(&addr, a->sites.rows, a->sites.n_rows, sizeof(*a->sites.rows), by_site) : NULL;
}

static size_t items_at(struct analysis *a, uint64_t addr, uint64_t *items, size_t max)
{
	const struct site *s = site_at(a, addr);
	const struct summary *x = s ? a->program.insns[s->insn].external : NULL;

	return s ? sites_items(&a->closure, s->insn, x && x->does & DOES_HOOK, items, max) : 0;
}

int analysis_add(struct analysis *a, uint64_t addr, uint32_t kinds)
{
	uint64_t items[256];
	size_t n = items_at(a, addr, items, 256);

	for (size_t i = 0; !n && i < a->essentials.n_rows; i++)
		if (a->essentials.rows[i].addr == addr)
			items[n++] = ITEM(ITEM_NODE, a->essentials.rows[i].insn);
	for (size_t k = 0; k < n; k++)
		closure_need(&a->closure, items[k], kinds, NO_ITEM);
	return n ? closure_run(&a->closure) : -ENOENT;
}

/* ---- why a place matters */

static const char *essential_at(const struct analysis *a, uint32_t insn)
{
	for (size_t i = 0; i < a->essentials.n_rows; i++)
		if (a->essentials.rows[i].insn == insn)
			return a->essentials.rows[i].what;
	return NULL;
}

/* The instruction that an item is about; NONE: it has none of its own. */
static uint32_t insn_of(const struct analysis *a, uint64_t item)
{
	const uint64_t id = item & ((1ull << 56) - 1);
	const enum item_kind kind = (enum item_kind)(item >> 56);

	if (item == NO_ITEM || (kind != ITEM_NODE && kind != ITEM_ADDRESS && kind != ITEM_ESSENTIAL))
		return NONE;
	return id < a->program.n_insns ? (uint32_t)id : NONE;
}

static enum vtb_slice_relation relation_of(enum vtb_slice_relation so_far, uint64_t item)
{
	switch ((enum item_kind)(item >> 56)) {
	case ITEM_FUNCTION:
	case ITEM_STOPS:
		return VTB_SLICE_CALLS;
	case ITEM_BLOCK:
		return so_far == VTB_SLICE_CALLS ? so_far : VTB_SLICE_DECIDES;
	case ITEM_PLACE:
	case ITEM_MEMORY:
	case ITEM_SLOT:
		return VTB_SLICE_MEMORY;
	case ITEM_NODE:
	case ITEM_ADDRESS:
	case ITEM_ESSENTIAL:
		break;
	}
	return so_far;
}

/* From item to item that needed it, up to the essential statement; only instructions are told. */
static size_t walk(const struct analysis *a, uint64_t item, unsigned kind, struct vtb_slice_step *steps, size_t max)
{
	size_t n = 0;
	enum vtb_slice_relation relation = VTB_SLICE_VALUE;
	uint32_t last = NONE;

	while (item != NO_ITEM) {
		const uint32_t insn = insn_of(a, item);
		uint64_t next = NO_ITEM;

		if (insn != NONE && insn != last) {
			if (n && n <= max)
				steps[n - 1].relation = relation;
			if (n < max)
				steps[n] = (struct vtb_slice_step){ a->program.insns[insn].addr, VTB_SLICE_IS, "" };
			n++;
			last = insn;
			relation = VTB_SLICE_VALUE;
		}
		vtb_map64_get(&a->closure.cause, item * 8 + kind, &next);
		relation = relation_of(relation, next == NO_ITEM ? item : next);
		item = next;
	}
	if (n && n <= max && last != NONE && essential_at(a, last))
		steps[n - 1].what = essential_at(a, last);
	return n;
}

size_t analysis_path(struct analysis *a, uint64_t addr, uint32_t kinds, struct vtb_slice_step *steps, size_t max)
{
	uint64_t items[256];
	const size_t n = items_at(a, addr, items, 256);

	for (size_t k = 0; k < n; k++)
		for (unsigned kind = 0; kind < 5; kind++)
			if (kinds >> kind & 1 && closure_kinds(&a->closure, items[k]) >> kind & 1)
				return walk(a, items[k], kind, steps, max);
	return 0;
}
