/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_literals.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

#define RUNS_COUNTED 512u /* failing runs that are asked how general a literal is */

void core_literals_fini(struct core_literals *literals)
{
	free(literals->literals);
	*literals = (struct core_literals){ 0 };
}

/* What the order is about: data first, then who waits for whom, then what only shows it. */
static uint8_t rank_of(const struct vtb_core_op *op)
{
	switch (vtb_event_info(op->kind)->family) {
	case VTB_FAMILY_MEMORY:
	case VTB_FAMILY_ATOMIC:
	case VTB_FAMILY_HEAP:
		return 4;
	case VTB_FAMILY_COND:
	case VTB_FAMILY_SEM:
	case VTB_FAMILY_FUTEX:
	case VTB_FAMILY_SIGNAL:
		return 3;
	case VTB_FAMILY_THREAD:
		return 0;
	case VTB_FAMILY_IO:
	case VTB_FAMILY_BARRIER:
		return 1;
	default:
		return 2;
	}
}

static uint64_t count_failing(const struct core_runs *runs, uint32_t before, uint32_t after)
{
	uint64_t n = 0;

	for (size_t i = 0, seen = 0; i < runs->n_runs && seen < RUNS_COUNTED; i++) {
		if (runs->runs[i].ending != CORE_FAILED)
			continue;
		seen++;
		n += core_holds(&runs->runs[i], before, after);
	}
	return n;
}

/* What will never come did not come late. */
static bool holds(const struct core_runs *runs, const struct core_run *run, uint32_t before, uint32_t after)
{
	return core_holds(run, before, after) && (core_at(run, after) || core_may_come(run, &runs->ops[after]));
}

static int add(const struct core_runs *runs, const struct core_run *run, uint32_t before, uint32_t after,
               struct core_literals *ret)
{
	const uint32_t at = core_at(run, after);

	if (vtb_array_room(ret, literals) < 0)
		return -ENOMEM;
	ret->literals[ret->n_literals++] = (struct core_literal){
		.before = before,
		.after = after,
		.failing = count_failing(runs, before, after),
		.distance = (at ? at : run->length + 1) - core_at(run, before),
		.rank = rank_of(&runs->ops[runs->ops[after].kind == VTB_E_PROCESS_EXIT ? after : before]),
	};
	return 0;
}

static int by_preference(const void *a, const void *b)
{
	const struct core_literal *l = a, *r = b;
	const uint64_t left[] = { !l->rank, r->failing, r->rank, l->distance, l->before, l->after },
	               right[] = { !r->rank, l->failing, l->rank, r->distance, r->before, r->after };

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

int core_literals_of(const struct core_runs *runs, size_t failing, struct core_literals *ret)
{
	const struct core_run *run = &runs->runs[failing];
	int r = 0;

	*ret = (struct core_literals){ 0 };
	for (size_t i = 0; i < runs->n_pairs && r >= 0; i++) {
		const struct core_pair pair = runs->pairs[i];

		if (holds(runs, run, pair.a, pair.b))
			r = add(runs, run, pair.a, pair.b, ret);
		else if (holds(runs, run, pair.b, pair.a))
			r = add(runs, run, pair.b, pair.a, ret);
	}
	if (r < 0)
		core_literals_fini(ret);
	else if (ret->n_literals)
		qsort(ret->literals, ret->n_literals, sizeof(*ret->literals), by_preference);
	return r;
}
