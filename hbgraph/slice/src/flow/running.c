/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What std::thread runs: an object on the heap is handed over, of which the thread calls the virtual function that
 * runs, and then the one that deletes it.
 *
 *     argument 1 ──► pointer ──► object ──► virtual functions: ~_State, ~_State and delete, _M_run
 */
#include <errno.h>

#include "solve.h"

#define DELETES 8
#define RUNS 16

uint32_t running_state(struct solve *s, uint32_t node, uint32_t i)
{
	return solve_load(s, node, solve_argument(s, i, 1), 8);
}

static void run(struct solve *s, uint32_t i, uint32_t table, int64_t at)
{
	const uint32_t slot = value_add(&s->values, table, value_const(&s->values, at));
	const struct value v = *value_at(&s->values, solve_load(s, i, slot, 8));

	for (uint32_t k = 0; k < v.n; k++)
		if (v.pair[k].region >> 32 == REGION_CODE)
			nodes_call(&s->nodes, i, (uint32_t)v.pair[k].region, true, false);
	if (v.any)
		solve_set_wild(s, i);
}

void running_start(struct solve *s, uint32_t i)
{
	const uint32_t object = running_state(s, i, i), table = solve_load(s, i, object, 8);

	if (value_at(&s->values, object)->any)
		solve_set_wild(s, i);
	run(s, i, table, DELETES);
	run(s, i, table, RUNS);
}
