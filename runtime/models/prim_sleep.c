/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeping and yielding, in virtual time. */
#include <errno.h>

#include "models.h"

#define SECOND 1000000000ull

static bool slept(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)call;
	return vtb_time_over(t);
}

/* For nothing but its deadline. */
static const void *at_time(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	(void)call;
	return &vtb_sched.now;
}

static const struct vtb_primitive primitive_sleep = { "sleep", slept, NULL, at_time, true, NULL };

/* Nanoseconds that are left because a signal handler has run: 0 if it slept to the end. Meanwhile the deadline stands
 * with the thread and not on its stack: a loop that sleeps comes round to the state it was in (progress.c). */
static uint64_t sleep_until(uint64_t until, uint64_t span)
{
	struct vtb_rt_thread *t = vtb_self;
	uint64_t deadline;
	struct vtb_call call = { .prim = &primitive_sleep,
		                 .kind = VTB_E_SLEEP,
		                 .pc = t->base.pc,
		                 .arg = span,
		                 .interrupt = VTB_INTERRUPT_ALWAYS };

	t->sched.deadline = until ? until : UINT64_MAX;
	vtb_ctl_op(t, &call);
	deadline = t->sched.deadline;
	t->sched.deadline = 0;
	vtb_cancellation_point(t);
	if (!call.interrupted)
		return 0;
	return deadline > vtb_sched.now ? deadline - vtb_sched.now : 1;
}

uint64_t vtb_ctl_sleep(uint64_t nanoseconds)
{
	vtb_time_look();
	return sleep_until(vtb_sched.now + nanoseconds + 1, nanoseconds);
}

int vtb_ctl_usleep(useconds_t usec)
{
	if (!vtb_ctl_sleep(usec * 1000ull))
		return 0;
	errno = EINTR;
	return -1;
}

int vtb_ctl_clock_nanosleep(clockid_t clock, int flags, const struct timespec *span, struct timespec *left)
{
	const struct timespec now = { 0, 0 };
	uint64_t rest;

	if (!vtb_time_is_valid(span))
		return EINVAL;
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) { /* most others cannot be slept by */
		const long r = sys6(SYS_clock_nanosleep, clock, flags, (long)&now, 0, 0, 0);

		if (clock == CLOCK_THREAD_CPUTIME_ID) /* libc does not ask */
			return EINVAL;
		if (r)
			return (int)-r;
	}
	if (flags & TIMER_ABSTIME)
		return sleep_until(vtb_time_at(clock, span), 0) ? EINTR : 0;
	rest = vtb_ctl_sleep((uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec);
	if (rest && left)
		*left = (struct timespec){ .tv_sec = (time_t)(rest / SECOND), .tv_nsec = (long)(rest % SECOND) };
	return rest ? EINTR : 0;
}

int vtb_ctl_nanosleep(const struct timespec *span, struct timespec *left)
{
	const int r = vtb_ctl_clock_nanosleep(CLOCK_REALTIME, 0, span, left);

	if (!r)
		return 0;
	errno = r;
	return -1;
}

static const struct vtb_primitive primitive_yield = { "yield", NULL, NULL, NULL, true, NULL };

int vtb_ctl_sched_yield(void)
{
	vtb_op(vtb_self, &primitive_yield, VTB_E_YIELD, NULL);
	return 0;
}
