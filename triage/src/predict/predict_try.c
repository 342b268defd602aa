/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a predicted circle of locks to a deadlock that happened, or to a suspicion. */
#include "predict_try.h"

#include <errno.h>

#include "shrink.h"

/* Add it, and say where it comes from. 1: it is a finding, new or known. */
static int take_failure(struct vtb_hunt *hunt, const struct vtb_exec *x)
{
	struct vtb_hunt_result *result = hunt->result;
	const size_t before = result->n_findings;
	const int r = vtb_hunt_add_finding(hunt, x, hunt->runner->schedules, NULL);

	if (r < 0)
		return r;
	if (result->n_findings > before)
		result->findings[before].predicted = true;
	for (size_t i = 0; i < result->n_findings; i++)
		if (vtb_exec_fails_as(x, result->findings[i].exec.outcome.signature))
			return 1;
	return result->n_findings > before;
}

/* One schedule of those made for the circle. 1: it fails, 0: it does not. */
static int try_once(struct vtb_hunt *hunt, struct vtb_predicted_cycle *cycle, uint32_t nth)
{
	struct vtb_schedule s = cycle->schedule; /* borrowed but for policy and seed */
	const struct vtb_schedule *one = &s;
	struct vtb_exec x = { 0 };
	int r;

	if (nth) {
		s.policy = VTB_SCHEDULE_RANDOM;
		s.seed = hunt->opts->search.seed + nth;
	}
	r = vtb_runner_run(hunt->runner, &one, 1, &x, hunt->err);
	cycle->suspicion.tried += r == 0;
	if (r == 0 && vtb_exec_fails_as(&x, NULL))
		r = take_failure(hunt, &x);
	vtb_exec_fini(&x);
	return r;
}

static int try_cycle(struct vtb_hunt *hunt, struct vtb_predicted_cycle *cycle)
{
	int r = 0;

	for (uint32_t i = 0; i < VTB_PREDICT_TRIES && r == 0 && !vtb_hunt_due(hunt); i++)
		r = try_once(hunt, cycle, i);
	cycle->confirmed = r > 0;
	return r;
}

int vtb_predict_try(struct vtb_hunt *hunt, struct vtb_predictions *p)
{
	int r = 0;

	while (r >= 0 && p->next < p->n_cycles && !vtb_hunt_due(hunt) &&
	       (hunt->opts->keep_going || !hunt->result->n_findings))
		r = try_cycle(hunt, &p->cycles[p->next++]);
	return r < 0 && r != -ECANCELED ? r : 0;
}
