/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_missed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"
#include "vtb/exec_waits.h"

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

static bool came_early(const struct core_runs *runs, const struct core_run *run, uint32_t test, uint32_t change)
{
	return core_at(run, change) && core_writes(&runs->ops[change]) && core_holds(run, test, change);
}

/* Did somebody change behind a test what it had looked at? What had still to come when all hang changed nothing. */
static bool a_test_was_early(const struct core_runs *runs, const struct core_run *run, const uint64_t *tests)
{
	for (size_t i = 0; i < runs->n_pairs; i++) {
		const struct core_pair p = runs->pairs[i];

		if ((has(tests, p.a) && came_early(runs, run, p.a, p.b)) ||
		    (has(tests, p.b) && came_early(runs, run, p.b, p.a)))
			return true;
	}
	return false;
}

/* Did a signal come while the waiter had its mutex? One before that it could have missed only by not looking. */
static bool a_signal_came_between(const struct vtb_exec *x, const struct missed_wait *wait)
{
	const uint32_t condition = x->events[wait->to - 1].var;

	for (uint32_t i = wait->from; i < wait->to; i++)
		if ((x->events[i].kind == VTB_E_COND_SIGNAL || x->events[i].kind == VTB_E_COND_BROADCAST) &&
		    x->events[i].var == condition)
			return true;
	return false;
}

/* A wait with what was tested for it; the signal before it is to blame only if one of these tests was early. */
static int add_missed(const struct core_runs *runs, const struct core_run *run, const struct missed_wait *wait,
                      struct core_missed *ret)
{
	const size_t n = runs->n_ops / 64 + 1;
	struct core_missed one = { .tests = calloc(n, sizeof(uint64_t)), .waits = calloc(n, sizeof(uint64_t)) };
	const bool made = one.tests && one.waits;
	bool early;

	if (made)
		add_wait(runs, run, wait, &one);
	early = made && a_signal_came_between(&run->exec, wait) && a_test_was_early(runs, run, one.tests);
	for (size_t i = 0; made && i < n; i++) {
		ret->tests[i] |= one.tests[i];
		ret->waits[i] |= early ? one.waits[i] : 0;
	}
	core_missed_fini(&one);
	return made ? 0 : -ENOMEM;
}

int core_missed_of(const struct core_runs *runs, const struct core_run *run, struct core_missed *ret)
{
	const struct vtb_exec *x = &run->exec;
	struct missed_wait wait;
	int r = 0;

	ret->tests = calloc(runs->n_ops / 64 + 1, sizeof(*ret->tests));
	ret->waits = calloc(runs->n_ops / 64 + 1, sizeof(*ret->waits));
	if (!ret->tests || !ret->waits)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && runs->verdict == VTB_V_LOST_WAKEUP && i < x->n_pending; i++)
		if (x->pending[i].kind == VTB_E_COND_WAKE && !vtb_exec_wait_hangs_on_another(x, i) &&
		    last_wait_of(x, x->pending[i].thread, &wait))
			r = add_missed(runs, run, &wait, ret);
	if (r < 0)
		core_missed_fini(ret);
	return r;
}

bool core_missed_by(const struct core_missed *missed, const struct core_runs *runs, uint32_t before, uint32_t after)
{
	const unsigned first = runs->ops[before].kind;

	if (has(missed->tests, before))
		return core_writes(&runs->ops[after]);
	return (first == VTB_E_COND_SIGNAL || first == VTB_E_COND_BROADCAST) && has(missed->waits, after);
}
