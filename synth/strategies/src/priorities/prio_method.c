/* SPDX-License-Identifier: GPL-2.0-or-later */
/* method: first where both the preempted and the preempting operation are in the function of --focus-function, then where one is. */
#include <string.h>

#include "prio.h"

static bool named(const struct vtb_prio_run *run, const struct vtb_event *e)
{
	const struct vtb_symtab *tab = run->space->tab;
	const char *focus = run->space->opts->focus_function;

	return !focus || (e && e->site < tab->n_sites && strcmp(tab->sites[e->site].function, focus) == 0);
}

static int64_t cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	const struct vtb_event *preempted = branch->before == VTB_NONE ? NULL : &run->x->events[branch->before];

	return !named(run, preempted) + !named(run, vtb_prio_next_operation(run, branch->point, branch->target));
}

const struct vtb_prio vtb_prio_method = { .name = "method", .help = "where preempted and preempting are in the function of --focus-function first", .function = true, .cost = cost };
