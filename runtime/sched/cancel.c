/* SPDX-License-Identifier: BSD-2-Clause */
/* Cancellation takes place at points: pthread_exit unwinds to the end of the thread. */
#include "base.h"
#include "scheduler.h"

void vtb_cancellation_point(struct vtb_rt_thread *t)
{
	if (VTB_LIKELY(!t->sched.cancelled) || !t->sched.cancel_enabled)
		return;
	t->sched.deadline = 0;
	t->sched.cancel_enabled = false;
	t->base.result = PTHREAD_CANCELED;
	vtb_real.pthread_exit(PTHREAD_CANCELED); /* unwinds to `ends` */
}

void vtb_cancel_async(struct vtb_rt_thread *t)
{
	if (!t->sched.cancelled || !t->sched.cancel_async || !t->sched.cancel_enabled || t->base.inside)
		return;
	t->sched.call = NULL;
	vtb_cancellation_point(t);
}
