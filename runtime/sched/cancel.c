/* SPDX-License-Identifier: BSD-2-Clause */
/* Cancellation takes place at points: pthread_exit unwinds to the end of the thread. */
#include "real.h"
#include "scheduler.h"

void vtb_cancellation_point(struct vtb_rt_thread *t)
{
	if (VTB_LIKELY(!t->cancelled) || !t->cancel_enabled)
		return;
	t->deadline = 0;
	t->cancel_enabled = false;
	t->result = PTHREAD_CANCELED;
	vtb_real.pthread_exit(PTHREAD_CANCELED); /* unwinds to `ends` */
}

void vtb_cancel_async(struct vtb_rt_thread *t)
{
	if (!t->cancelled || !t->cancel_async || !t->cancel_enabled || t->inside)
		return;
	t->call = NULL;
	vtb_cancellation_point(t);
}
