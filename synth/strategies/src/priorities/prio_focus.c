/* SPDX-License-Identifier: GPL-2.0-or-later */
/* method, var: first where both the preempted and the preempting operation are in the function or on the variable of
 * the focus, then where one is. */
#include "prio.h"
#include "vtb/focus.h"

static int64_t outside(const struct vtb_branch *branch, struct vtb_prio_run *run,
                       bool (*within)(const struct vtb_space *space, const struct vtb_event *e))
{
	const struct vtb_event *preempted = branch->before == VTB_NONE ? NULL : &run->x->events[branch->before];
	const struct vtb_event *next = vtb_prio_next_operation(run, branch->point, branch->target);

	return !(preempted && within(run->space, preempted)) + !(next && within(run->space, next));
}

static int64_t method_cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	return run->space->opts->focus_function ? outside(branch, run, vtb_focus_allows_function) : 0;
}

static int64_t var_cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	return run->space->opts->focus_var ? outside(branch, run, vtb_focus_allows_variable) : 0;
}

const struct vtb_prio vtb_prio_method = {
	.name = "method",
	.help = "where preempted and preempting are in the function of --focus-function first",
	.function = true,
	.cost = method_cost,
};

const struct vtb_prio vtb_prio_var = {
	.name = "var",
	.help = "where preempted and preempting touch the variable of --focus-var first",
	.var = true,
	.cost = var_cost,
};
