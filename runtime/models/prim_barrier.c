/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Barriers. State in the object, where glibc has it, for the barrier may have been made before main, by glibc: how many
 * have arrived, the number of the round, how many are needed. glibc goes on counting who has arrived from round to
 * round. A wait is two operations: ARRIVE, and LEAVE once the round is over.
 */
#include <errno.h>

#include "models.h"

struct barrier {
	uint32_t arrived, round, needed, shared, left;
};

static struct barrier *barrier_of(const struct vtb_call *call)
{
	return (struct barrier *)call->obj;
}

static void arrive_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct barrier *b = barrier_of(call);

	(void)t;
	call->data = b->round;
	if (!b->needed) {
		vtb_misuse(call, "a thread waits at a barrier that is not initialised");
		return;
	}
	if (++b->arrived % b->needed == 0) {
		b->arrived = 0;
		b->round++;
		call->result = PTHREAD_BARRIER_SERIAL_THREAD;
	}
}

static bool leave_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return barrier_of(call)->round != (uint32_t)call->data;
}

static void destroy_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const struct barrier *b = barrier_of(call);

	(void)t;
	if (b->needed && b->arrived % b->needed)
		vtb_misuse(call, "a barrier was destroyed while a thread waits at it");
}

static const struct vtb_primitive primitive_arrive = { "barrier arrive", NULL, arrive_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_leave = {
	"barrier leave", leave_ready, NULL, vtb_ctl_at_object, true, NULL
};
static const struct vtb_primitive primitive_init = { "barrier init", NULL, NULL, NULL, true, NULL };
static const struct vtb_primitive primitive_destroy = { "barrier destroy", NULL, destroy_perform, NULL, true, NULL };

int vtb_ctl_pthread_barrier_wait(pthread_barrier_t *b)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call arrive = {
		.prim = &primitive_arrive, .kind = VTB_E_BARRIER_ARRIVE, .obj = b, .pc = t->base.pc
	};
	struct vtb_call leave = {
		.prim = &primitive_leave, .kind = VTB_E_BARRIER_LEAVE, .obj = b, .pc = t->base.pc, .has_value = true
	};

	vtb_ctl_op(t, &arrive);
	leave.data = arrive.data;
	leave.value = arrive.result == PTHREAD_BARRIER_SERIAL_THREAD;
	vtb_ctl_op(t, &leave);
	return (int)arrive.result;
}

int vtb_ctl_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned count)
{
	struct vtb_rt_thread *t = vtb_self;
	struct barrier *state = (struct barrier *)b;
	struct vtb_call call;

	(void)a;
	if (!count)
		return EINVAL;
	vtb_op_begin(t, &call, &primitive_init, VTB_E_BARRIER_INIT, b);
	*state = (struct barrier){ .needed = count,
		                   .round = (uint32_t)++vtb_sched.ticket }; /* unlike any earlier round here */
	vtb_op_end(t, &call);
	return 0;
}

int vtb_ctl_pthread_barrier_destroy(pthread_barrier_t *b)
{
	return (int)vtb_op(vtb_self, &primitive_destroy, VTB_E_BARRIER_DESTROY, b);
}
