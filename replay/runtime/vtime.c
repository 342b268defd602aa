/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual time: the clock stands still while anybody can run, and jumps to the next deadline when all wait. Reading the
 * clock moves it a little, more and more while nothing else happens, so that loops on the clock end.
 */
#include <errno.h>

#include "models.h"

#define SECOND 1000000000ull
#define EPOCH_REALTIME (1767225600ull * SECOND) /* 2026-01-01: the same in every run */
#define EPOCH_OTHER (100000ull * SECOND)        /* time since boot */
#define READ_STEP 1000ull
#define READ_STEP_MAX (10000000ull)

static uint64_t epoch_of(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? EPOCH_REALTIME : EPOCH_OTHER;
}

static bool is_virtual(clockid_t clock)
{
	return !(vtb_rt.options & VTB_OPT_REAL_TIME) && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID && clock >= 0;
}

uint64_t vtb_ctl_deadline(clockid_t clock, const struct timespec *until)
{
	const uint64_t epoch = epoch_of(clock);
	uint64_t at;

	if (until->tv_sec < 0)
		return 1;
	if ((uint64_t)until->tv_sec > UINT64_MAX / SECOND / 2)
		return 0; /* never */
	at = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec;
	return at > epoch ? at - epoch : 1;
}

bool vtb_ctl_clock_gettime(clockid_t clock, struct timespec *ret)
{
	uint64_t now, step;

	if (!is_virtual(clock))
		return false;
	step = READ_STEP << (vtb_sched.clock_reads / 64 < 14 ? vtb_sched.clock_reads / 64 : 14);
	vtb_sched.clock_reads++;
	vtb_sched.now += step < READ_STEP_MAX ? step : READ_STEP_MAX;
	now = vtb_sched.now + epoch_of(clock);
	ret->tv_sec = (time_t)(now / SECOND);
	ret->tv_nsec = (long)(now % SECOND);
	return true;
}

bool vtb_time_pass(void)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->state == VTB_T_ALIVE && t->call && t->deadline > vtb_sched.now && t->deadline < next)
			next = t->deadline;
	}
	if (next == UINT64_MAX)
		return false;
	vtb_sched.now = next;
	vtb_sched.epoch++; /* a spinner may be waiting for time */
	return true;
}

/* ---- sleeping */

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

static const struct vtb_primitive primitive_sleep = {"sleep", slept, NULL, at_time, true};

static void sleep_until(uint64_t deadline, uint64_t span)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = {.prim = &primitive_sleep, .kind = VTB_E_SLEEP, .pc = t->pc, .arg = span};

	t->deadline = deadline ? deadline : UINT64_MAX;
	vtb_ctl_op(t, &call);
	t->deadline = 0;
	vtb_cancellation_point(t);
}

void vtb_ctl_sleep(uint64_t nanoseconds)
{
	sleep_until(vtb_sched.now + nanoseconds + 1, nanoseconds);
}

int vtb_ctl_usleep(useconds_t usec)
{
	vtb_ctl_sleep(usec * 1000ull);
	return 0;
}

static bool valid(const struct timespec *span)
{
	return span->tv_sec >= 0 && span->tv_nsec >= 0 && span->tv_nsec < (long)SECOND;
}

int vtb_ctl_nanosleep(const struct timespec *span, struct timespec *left)
{
	(void)left;
	if (!valid(span)) {
		errno = EINVAL;
		return -1;
	}
	vtb_ctl_sleep((uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec);
	return 0;
}

int vtb_ctl_clock_nanosleep(clockid_t clock, int flags, const struct timespec *span, struct timespec *left)
{
	(void)left;
	if (!valid(span))
		return EINVAL;
	if (flags & TIMER_ABSTIME)
		sleep_until(vtb_ctl_deadline(clock, span), 0);
	else
		vtb_ctl_sleep((uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec);
	return 0;
}

static const struct vtb_primitive primitive_yield = {"yield", NULL, NULL, NULL, true};

int vtb_ctl_sched_yield(void)
{
	vtb_op(vtb_self, &primitive_yield, VTB_E_YIELD, NULL);
	return 0;
}
