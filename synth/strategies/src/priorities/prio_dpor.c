/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dpor, mdpor: first what partial-order reduction would try next because of this run. */
#include "dpor/dpor.h"
#include "prio.h"

static enum dpor_wish wish(const struct vtb_branch *branch, const struct vtb_prio_run *run)
{
	if (branch->kind != VTB_DEV_SWITCH || branch->point >= run->n_op)
		return DPOR_NO_WISH;
	return vtb_dpor_wish(run->dpor, run->op[branch->point], branch->target);
}

static int64_t dpor_cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	return wish(branch, run) == DPOR_NO_WISH;
}

/* Is what the run did here a release, which its thread would do anyway? */
static bool before_release(const struct vtb_branch *branch, const struct vtb_prio_run *run)
{
	const struct vtb_event *e = branch->point < run->x->n_events ? &run->x->events[branch->point] : NULL;

	return e && branch->before != VTB_NONE && e->thread == run->x->events[branch->before].thread &&
	       vtb_event_is(e, VTB_EV_RELEASE);
}

static int64_t mdpor_cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	const enum dpor_wish w = wish(branch, run);

	if (w == DPOR_CAUTIOUS_WISH || before_release(branch, run))
		return 2;
	return w == DPOR_NO_WISH;
}

const struct vtb_prio vtb_prio_dpor = {
	.name = "dpor", .help = "what partial-order reduction would try, first", .races = true, .cost = dpor_cost
};
const struct vtb_prio vtb_prio_mdpor = {
	.name = "mdpor",
	.help = "as dpor; what it would try only to be safe, and points before a release, last",
	.races = true,
	.cost = mdpor_cost
};
