/* SPDX-License-Identifier: BSD-2-Clause */
/* What a schedule asks for besides what its policy decides: a switch, a demotion, a deadline that passes, a spurious
 * wake-up, a signal that comes early, a compare-and-swap that fails. */
#include "deviate.h"

#include "base.h"
#include "scheduler.h"
#include "wake_source.h"

static bool comes_early(struct vtb_rt_thread *t)
{
	VTB_EACH_SOURCE(s, early)
	if (s->early(t))
		return true;
	return false;
}

/* Time or chance lets a waiting thread go on although others could. Its next operation is marked. */
static struct vtb_rt_thread *force(const struct vtb_wire_deviation *d)
{
	struct vtb_rt_thread *target = vtb_schedule_thread(d->target);

	if (!target || target->base.state != VTB_T_ALIVE || (target->sched.enabled && d->kind != VTB_DEV_SIGNAL))
		return NULL;
	if (d->kind == VTB_DEV_SIGNAL) {
		if (target->sched.interrupted || !target->sched.call || !comes_early(target))
			return NULL;
	} else if (d->kind == VTB_DEV_TIMEOUT) {
		if (!target->sched.deadline)
			return NULL;
		if (vtb_sched.now < target->sched.deadline)
			vtb_sched.now = target->sched.deadline;
		vtb_sources_fire();
		vtb_sched.slot->outcome.flags |= VTB_OUT_TIMING;
	} else {
		target->sched.spurious = true;
	}
	vtb_sched_recheck();
	vtb_ready_update(target);
	return target->sched.enabled ? target : NULL;
}

bool vtb_deviate(struct vtb_rt_thread *t, const struct vtb_wire_deviation *d, struct vtb_rt_thread **next)
{
	struct vtb_rt_thread *target;

	if (d->kind == VTB_DEV_DEMOTE) {
		vtb_ready_rank(t, vtb_schedule_fragment());
		*next = NULL; /* by the policy, with the new rank */
		return true;
	}
	target = d->kind == VTB_DEV_SWITCH ? vtb_schedule_thread(d->target) : force(d);
	if (d->kind == VTB_DEV_SWITCH && (vtb_sched.schedule->flags & VTB_SCHED_LOOSE) &&
	    (!target || !target->sched.enabled))
		target = vtb_ready_best_but(
		    t); /* another build: the target may have had an operation there that this one has not */
	if (!target || !target->sched.enabled)
		return false;
	if (d->kind != VTB_DEV_SWITCH)
		vtb_sched_fact(VTB_E_DEVIATE, t, 0, 0, target->base.slot, d->kind);
	*next = target;
	return true;
}

bool vtb_ctl_cas_fails(struct vtb_rt_thread *t)
{
	const struct vtb_wire_deviation *d = vtb_sched.first_open < vtb_sched.schedule->deviations
	                                         ? vtb_schedule_deviation(t, 1u << VTB_DEV_CAS_FAIL)
	                                         : NULL;

	if (!d)
		return false;
	vtb_schedule_deviated(d, true);
	vtb_sched_fact(VTB_E_DEVIATE, t, 0, 0, t->base.slot, VTB_DEV_CAS_FAIL);
	return true;
}
