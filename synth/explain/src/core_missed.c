/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_missed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"

/* Positions in a run, from 1: where a thread takes its mutex for the last time, and where it waits after that. */
struct missed_wait {
	uint32_t thread, from, to;
};

void core_missed_fini(struct core_missed *missed)
{
	free(missed->tests);
	free(missed->waits);
	*missed = (struct core_missed){ 0 };
}

static bool has(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

/* Who is woken has the mutex again, too. False: it has not waited. */
static bool last_wait_of(const struct vtb_exec *x, uint32_t thread, struct missed_wait *ret)
{
	uint32_t locked = 0;

	*ret = (struct missed_wait){ .thread = thread };
	for (uint32_t i = 0; i < x->n_events; i++) {
		const unsigned kind = x->events[i].kind;

		if (x->events[i].thread != thread)
			continue;
		if (kind == VTB_E_LOCK || kind == VTB_E_TRYLOCK || kind == VTB_E_COND_WAKE)
			locked = i + 1;
		if (kind == VTB_E_COND_WAIT)
			*ret = (struct missed_wait){ .thread = thread, .from = locked, .to = i + 1 };
	}
	return ret->to;
}

static void add_wait(const struct core_runs *runs, const struct core_run *run, const struct missed_wait *wait,
                     struct core_missed *ret)
{
	for (uint32_t op = 0; op < runs->n_ops; op++) {
		const uint32_t at = runs->ops[op].thread == wait->thread ? core_at(run, op) : 0;

		if (at == wait->to)
			ret->waits[op / 64] |= 1ull << op % 64;
		else if (at > wait->from && at < wait->to && core_reads(&runs->ops[op]))
			ret->tests[op / 64] |= 1ull << op % 64;
	}
}

/* Did somebody change behind a test what it had looked at? */
static bool a_test_was_early(const struct core_runs *runs, const struct core_run *run, const uint64_t *tests)
{
	for (size_t i = 0; i < runs->n_pairs; i++) {
		const struct core_pair p = runs->pairs[i];

		if ((has(tests, p.a) && core_writes(&runs->ops[p.b]) && core_holds(run, p.a, p.b)) ||
		    (has(tests, p.b) && core_writes(&runs->ops[p.a]) && core_holds(run, p.b, p.a)))
			return true;
	}
	return false;
}

int core_missed_of(const struct core_runs *runs, const struct core_run *run, struct core_missed *ret)
{
	const struct vtb_exec *x = &run->exec;
	struct missed_wait wait;

	ret->tests = calloc(runs->n_ops / 64 + 1, sizeof(*ret->tests));
	ret->waits = calloc(runs->n_ops / 64 + 1, sizeof(*ret->waits));
	if (!ret->tests || !ret->waits) {
		core_missed_fini(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; runs->verdict == VTB_V_LOST_WAKEUP && i < x->n_pending; i++)
		if (x->pending[i].kind == VTB_E_COND_WAKE && last_wait_of(x, x->pending[i].thread, &wait))
			add_wait(runs, run, &wait, ret);
	if (!a_test_was_early(runs, run, ret->tests)) /* the signal before the wait is not to blame */
		memset(ret->waits, 0, (runs->n_ops / 64 + 1) * sizeof(*ret->waits));
	return 0;
}

bool core_missed_by(const struct core_missed *missed, const struct core_runs *runs, uint32_t before, uint32_t after)
{
	const unsigned first = runs->ops[before].kind;

	if (has(missed->tests, before))
		return core_writes(&runs->ops[after]);
	return (first == VTB_E_COND_SIGNAL || first == VTB_E_COND_BROADCAST) && has(missed->waits, after);
}
