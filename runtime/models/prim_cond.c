/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Condition variables. A wait is two operations: COND_WAIT joins the queue and gives the mutex back; COND_WAKE leaves
 * the queue and has the mutex again. Signalled waiters wake in order of arrival; another one, a wake-up without a
 * signal, a deadline that passes early are deviations. Whose deadline is over leaves the queue without the mutex, and
 * locks it then: meanwhile another may hold it, change what is waited for, and signal nobody.
 */
#include <errno.h>

#include "base.h"
#include "models.h"

/* The mutex is given back once: a recursive one that is held twice stays held. */
static void wait_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	vtb_mutex_give(t, (pthread_mutex_t *)call->arg, call,
	               "a thread waits for a condition without holding the mutex that it names");
	vtb_queue_join(t, call->obj);
}

static bool is_woken(const struct vtb_rt_thread *t)
{
	return t->sched.signalled || t->sched.spurious || vtb_time_over(t) ||
	       (t->sched.cancelled && t->sched.cancel_enabled);
}

static bool is_late(const struct vtb_rt_thread *t)
{
	return vtb_time_over(t) && !t->sched.signalled && !t->sched.spurious &&
	       !(t->sched.cancelled && t->sched.cancel_enabled);
}

static bool wake_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return is_late(t) || (is_woken(t) && vtb_mutex_free(t, (const pthread_mutex_t *)call->arg));
}

/* Once it is woken, for the mutex. Who is late waits for nothing, but a signal that comes before it has left makes it
 * wait for the mutex. */
static const void *wake_at(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return is_woken(t) && !is_late(t) ? (const void *)call->arg : call->obj;
}

static void wake_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const bool late = is_late(t);

	vtb_queue_leave(t);
	call->result = late ? ETIMEDOUT : vtb_mutex_take(t, (pthread_mutex_t *)call->arg);
	if (late)
		call->arg = 0; /* it does not have the mutex */
	call->value = (uint64_t)call->result;
	call->has_value = true;
}

static void broadcast_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *waiter;

	(void)t;
	while ((waiter = vtb_queue_waiter(call->obj, 0))) {
		waiter->sched.signalled = true;
		call->value++;
	}
	if (!call->value)
		vtb_deadlock_note_lost(call->obj, 0);
	call->has_value = true;
}

static void signal_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *waiter;

	if (VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_WAKES)) {
		broadcast_perform(t, call);
		return;
	}
	waiter = vtb_queue_choose(t, call->obj);
	if (waiter)
		waiter->sched.signalled = true;
	else
		vtb_deadlock_note_lost(call->obj, 0);
	call->value = waiter != NULL;
	call->has_value = true;
}

static void destroy_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	if (vtb_queue_length(call->obj))
		vtb_misuse(call, "a condition variable was destroyed while a thread waits for it");
}

/* It would have the mutex again, if that were free. */
static uint32_t mutex_holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return t->sched.signalled ? vtb_mutex_owner((const pthread_mutex_t *)call->arg) : VTB_NO_PATH;
}

static const struct vtb_primitive primitive_wait = { "condition wait", NULL, wait_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_wake = { "condition wake", wake_ready, wake_perform,
	                                             wake_at,          true,       mutex_holder };
static const struct vtb_primitive primitive_signal = { "condition signal", NULL, signal_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_broadcast = {
	"condition broadcast", NULL, broadcast_perform, NULL, true, NULL
};
static const struct vtb_primitive primitive_init = { "condition init", NULL, NULL, NULL, true, NULL };
static const struct vtb_primitive primitive_destroy = { "condition destroy", NULL, destroy_perform, NULL, true, NULL };

int vtb_ctl_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call wait = {
		.prim = &primitive_wait, .kind = VTB_E_COND_WAIT, .obj = c, .pc = t->base.pc, .arg = (uint64_t)m
	};
	struct vtb_call wake = {
		.prim = &primitive_wake, .kind = VTB_E_COND_WAKE, .obj = c, .pc = t->base.pc, .arg = (uint64_t)m
	};

	if (deadline == VTB_NOT_A_TIME || vtb_mutex_denies(t, m))
		return deadline == VTB_NOT_A_TIME ? EINVAL : EPERM;
	vtb_cancellation_point(t);
	vtb_ctl_op(t, &wait);
	t->sched.deadline = deadline;
	vtb_ctl_op(t, &wake);
	t->sched.deadline = 0;
	if (!wake.arg) {
		const int r = vtb_ctl_pthread_mutex_lock(m);

		wake.result = r ? r : wake.result;
	}
	vtb_cancellation_point(t); /* with the mutex held again, as POSIX says */
	return (int)wake.result;
}

int vtb_ctl_pthread_cond_signal(pthread_cond_t *c)
{
	return (int)vtb_op(vtb_self, &primitive_signal, VTB_E_COND_SIGNAL, c);
}

int vtb_ctl_pthread_cond_broadcast(pthread_cond_t *c)
{
	return (int)vtb_op(vtb_self, &primitive_broadcast, VTB_E_COND_BROADCAST, c);
}

int vtb_ctl_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call;
	int r;

	vtb_op_begin(t, &call, &primitive_init, VTB_E_COND_INIT, c);
	r = vtb_real.pthread_cond_init(c, a);
	vtb_op_end(t, &call);
	return r;
}

int vtb_ctl_pthread_cond_destroy(pthread_cond_t *c)
{
	return (int)vtb_op(vtb_self, &primitive_destroy, VTB_E_COND_DESTROY, c);
}
