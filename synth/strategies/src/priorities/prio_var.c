/* SPDX-License-Identifier: GPL-2.0-or-later */
/* var: first where both the preempted and the preempting operation are on the variable of --focus-var, then where one is. */
#include "prio.h"
#include "vtb/focus.h"

static bool named(const struct vtb_prio_run *run, const struct vtb_event *e)
{
	const char *focus = run->space->opts->focus_var;

	return !focus || (e && vtb_focus_names(focus, vtb_variable_name(run->space->tab, e->var)));
}

static int64_t cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	const struct vtb_event *preempted = branch->before == VTB_NONE ? NULL : &run->x->events[branch->before];

	return !named(run, preempted) + !named(run, vtb_prio_next_operation(run, branch->point, branch->target));
}

const struct vtb_prio vtb_prio_var = { .name = "var", .help = "where preempted and preempting touch the variable of --focus-var first", .var = true, .cost = cost };
