/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matters: first where both the preempted and the preempting operation can matter to a failure, then where one can. */
#include "matters.h"
#include "prio.h"

static int64_t matters_cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	const struct vtb_event *preempted = branch->before == VTB_NONE ? NULL : &run->x->events[branch->before];
	const struct vtb_event *next = vtb_prio_next_operation(run, branch->point, branch->target);

	return !(preempted && matters_event(run->space, preempted)) + !(next && matters_event(run->space, next));
}

const struct vtb_prio vtb_prio_matters = {
	.name = "matters",
	.help = "where preempted and preempting can matter to a failure first (with --predicate)",
	.cost = matters_cost,
};
