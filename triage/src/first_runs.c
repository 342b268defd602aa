/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program does before anything is searched: with nobody disturbing it, and, if that fails, under very different orders. */
#include <errno.h>
#include <stdlib.h>

#include "hunt_priv.h"
#include "shrink.h"
#include "vtb/array.h"

#define RANDOM_ORDERS 16u /* beside the systematic ones */

/* A thread that was created counts even if it never came to run. */
uint32_t vtb_hunt_count_threads(const struct vtb_exec *x)
{
	uint32_t created = 0, begun = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		created += x->events[i].kind == VTB_E_THREAD_CREATE;
		begun += x->events[i].kind == VTB_E_THREAD_BEGIN && x->events[i].thread != x->events[0].thread;
	}
	return x->n_events ? 1 + (created > begun ? created : begun) : 0;
}

static void note_facts(struct vtb_hunt_facts *facts, const struct vtb_exec *x)
{
	facts->threads = vtb_hunt_count_threads(x);
	facts->points = x->outcome.points;
	facts->accesses = facts->operations = 0;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event_info *info = vtb_event_info(x->events[i].kind);

		if (info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC))
			facts->accesses++;
		else if (info && info->flags & VTB_EV_VISIBLE)
			facts->operations++;
	}
}

/* The k-th very different schedule of a program with n threads: priorities and run-to-block with the order of creation reversed, each
 * thread once at the front, then random choices. False when there are no more. */
static int different(struct vtb_schedule *s, uint32_t k, uint32_t n, uint64_t seed)
{
	const uint32_t reversed = 2, first = reversed + (n < 16 ? n : 16);

	*s = (struct vtb_schedule){0};
	if (k >= first + RANDOM_ORDERS)
		return 0;
	if (k >= first) {
		s->policy = VTB_SCHEDULE_RANDOM;
		s->seed = seed + k;
		return 1;
	}
	s->policy = k == 0 ? VTB_SCHEDULE_RUN_TO_BLOCK : VTB_SCHEDULE_PRIORITY;
	for (uint32_t i = 0; i < (k < reversed ? n : 1); i++) {
		if (vtb_array_room(s, ranks) < 0) {
			vtb_schedule_fini(s);
			return -ENOMEM;
		}
		s->ranks[s->n_ranks++] = k < reversed ? n - 1 - i : k - reversed;
	}
	return 1;
}

/* Does it fail in all of them? 1 yes, 0 no. */
static int fails_always(struct vtb_hunt *hunt, uint32_t threads)
{
	int r = 1;

	for (uint32_t k = 0; r == 1; k++) {
		struct vtb_schedule s;
		const struct vtb_schedule *one = &s;
		struct vtb_exec x = {0};

		r = different(&s, k, threads, hunt->opts->seed);
		if (r <= 0)
			return r < 0 ? r : 1;
		r = vtb_runner_run(hunt->runner, &one, 1, &x, hunt->err);
		if (r == 0)
			r = vtb_exec_fails_as(&x, NULL) || x.outcome.verdict == VTB_V_DIVERGED || x.outcome.verdict == VTB_V_INFEASIBLE;
		vtb_exec_fini(&x);
		vtb_schedule_fini(&s);
		vtb_hunt_tell(hunt, VTB_HUNT_FIRST_RUNS);
	}
	return r;
}

/* No order is to blame, so there is nothing to shrink. */
static int add_regardless(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	struct vtb_finding f = {.schedule = {.policy = VTB_SCHEDULE_RUN_TO_BLOCK}, .minimal = true, .schedule_number = 1};
	int r;

	f.replays = hunt->opts->confirm ? hunt->opts->confirm : VTB_HUNT_CONFIRM;
	r = vtb_hunt_confirm(hunt->runner, &f.schedule, result->first.outcome.signature, f.replays, &f.confirmed, hunt->err);
	if (r < 0)
		return r;
	r = vtb_array_room(result, findings);
	if (r == 0)
		r = vtb_exec_copy(&result->first, &f.exec);
	if (r < 0)
		return vtb_error_set(hunt->err, r, NULL, 0, "cannot keep a finding");
	result->findings[result->n_findings++] = f;
	result->verdict = VTB_V_REGARDLESS;
	return 0;
}

int vtb_hunt_first_runs(struct vtb_hunt *hunt, bool *ret_failing)
{
	const struct vtb_schedule standard = {.policy = VTB_SCHEDULE_RUN_TO_BLOCK}, *one = &standard;
	struct vtb_hunt_result *result = hunt->result;
	bool fails;
	int r;

	vtb_hunt_tell(hunt, VTB_HUNT_FIRST_RUNS);
	r = vtb_runner_run(hunt->runner, &one, 1, &result->first, hunt->err);
	if (r < 0)
		return r;
	note_facts(&result->facts, &result->first);
	r = hunt->after_first ? hunt->after_first(hunt) : 0;
	if (r != 0)
		return r < 0 ? r : 0;
	fails = vtb_exec_fails_as(&result->first, NULL);
	if (result->facts.threads <= 1 && !fails && result->first.outcome.verdict != VTB_V_TIMEOUT) { /* what was stopped might have gone on to start some */
		result->verdict = VTB_V_SEQUENTIAL;
		result->facts.stopped = "bound";
		return 0;
	}
	r = fails ? fails_always(hunt, result->facts.threads) : 0;
	if (r < 0)
		return r;
	*ret_failing = fails && r == 0;
	return r == 1 ? add_regardless(hunt) : 0;
}
