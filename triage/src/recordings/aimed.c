/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aimed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "suspects.h"
#include "vtb/exec.h"

/* Which of its thread's operations event i is, from 1. */
static struct vtb_op op_at(const struct vtb_trace *trace, size_t i)
{
	struct vtb_op op = { .thread = trace->events[i].thread, .name = { .site = VTB_NONE } };

	for (size_t k = 0; k <= i; k++)
		op.index += trace->events[k].thread == op.thread && vtb_event_is_operation(&trace->events[k]);
	return op;
}

static int add(const struct vtb_trace *trace, const struct vtb_suspect *suspect, const struct vtb_suspect_pair *pair,
               uint32_t draw, struct vtb_schedules *ret)
{
	const struct vtb_exec names = { .events = trace->events, .n_events = trace->n_events };
	struct vtb_schedule s = { .policy = draw ? VTB_SCHEDULE_RANDOM : VTB_SCHEDULE_RUN_TO_BLOCK, .seed = draw };
	int r = vtb_schedule_constrain(&s, op_at(trace, pair->earlier), op_at(trace, pair->later));

	if (r >= 0 && asprintf(&s.note, "%s before %s", suspect->earlier, suspect->later) < 0)
		r = -ENOMEM;
	if (r >= 0)
		r = vtb_exec_name_ops(&names, &trace->tab, &s);
	if (r >= 0)
		r = vtb_schedules_add(ret, &s, &trace->tab);
	vtb_schedule_fini(&s);
	return r;
}

int vtb_aimed_schedules(const struct vtb_trace *failing, const struct vtb_suspect *suspects, size_t n,
                        struct vtb_schedules *ret, size_t *ret_n)
{
	struct vtb_suspect_pair pairs[VTB_TRIAGE_SUSPECTS];
	int r;

	*ret_n = 0;
	n = n < VTB_TRIAGE_SUSPECTS ? n : VTB_TRIAGE_SUSPECTS;
	r = vtb_suspects_in(failing, suspects, n, pairs);
	for (size_t i = 0; i < n && r >= 0; i++)
		for (uint32_t draw = 0; draw <= VTB_AIMED_DRAWS && pairs[i].found && r >= 0; draw++) {
			r = add(failing, &suspects[i], &pairs[i], draw, ret);
			*ret_n += r >= 0;
		}
	return r < 0 ? r : 0;
}
