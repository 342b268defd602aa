/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ss: first the points that sleep sets call useful: something between the point and the thread's next operation in the
 * run depends on that operation. If nothing does, to do it now leads to the same class. */
#include "dpor/dpor.h"
#include "prio.h"

#define LOOK_AHEAD 256u /* operations; further away it counts as useful */

static int64_t cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	const struct vtb_event *next = vtb_prio_next_operation(run, branch->point, branch->target);
	uint32_t looked = 0;

	if (branch->kind != VTB_DEV_SWITCH || !next)
		return 0;
	for (uint32_t i = branch->point; i < run->x->n_events; i++) {
		const struct vtb_event *e = &run->x->events[i];

		if (e == next)
			return 1;
		if (e->kind == VTB_E_FAIL || ++looked > LOOK_AHEAD ||
		    vtb_dpor_dependent(&(struct dpor_op){ .event = *e }, &(struct dpor_op){ .event = *next }))
			return 0;
	}
	return 0;
}

const struct vtb_prio vtb_prio_ss = { .name = "ss", .help = "points that sleep sets call useful first", .cost = cost };
