/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for those whom no schedule moves: child processes, and whoever holds the other end of a pipe or connection.
 * When nobody of the program can go on they are given time by the system's clock: as much as would pass by the
 * program's own before its next deadline, so that a time limit on an answer is not over at once; then, if there is no
 * deadline, some seconds.
 */
#include <time.h>

#include "base.h"
#include "follow.h"
#include "models.h"
#include "syscalls.h"

#define RETRY_MSEC 20     /* between two attempts to get what somebody outside has */
#define OUTSIDE_MSEC 4000 /* how long an answer may take when nobody else can go on */

static bool waits_outside(const struct vtb_rt_thread *t)
{
	return t->base.state == VTB_T_ALIVE && t->sched.call && vtb_schedule_allows(t) &&
	       vtb_syscall_waits_for(t->sched.call) != WAIT_NONE;
}

/* Is the answer that it waits for somebody else's to give? */
static bool expects_answer(const struct vtb_rt_thread *t)
{
	if (!waits_outside(t))
		return false;
	switch (vtb_syscall_waits_for(t->sched.call)) {
	case WAIT_CHILD:
		return vtb_io_has_children();
	case WAIT_INPUT:
		return vtb_io_awaits_outside((int)t->sched.call->data);
	case WAIT_POLL:
		return vtb_io_any_awaits_outside() || vtb_child_signal_expected();
	default:
		return false;
	}
}

static bool somebody(bool (*does)(const struct vtb_rt_thread *t))
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (does(vtb_rt.threads[i]))
			return true;
	return false;
}

static bool can_go_on(const struct vtb_rt_thread *t)
{
	return waits_outside(t) && t->sched.call->prim->ready(t, t->sched.call);
}

/* Look each millisecond; true once somebody can go on. */
static bool watch(uint64_t msec, bool signals)
{
	const struct timespec tick = { .tv_nsec = 1000000 };

	for (uint64_t now = 0; now < msec; now++) {
		if (now % RETRY_MSEC == RETRY_MSEC - 1)
			vtb_try_look_again(true);
		if (somebody(can_go_on) || (signals && vtb_child_signal_take()))
			return true;
		sys3(SYS_nanosleep, (long)&tick, 0, 0);
	}
	return false;
}

static bool watch_outside(uint64_t msec)
{
	const bool signals = vtb_child_signal_expected();
	uint64_t before = 0;
	bool any;

	if (signals)
		before = vtb_child_signal_hold();
	any = watch(msec, signals);
	if (signals)
		vtb_child_signal_release(before);
	return any;
}

bool vtb_syscall_patience(void)
{
	const uint64_t next = vtb_time_next();
	uint64_t msec;

	if (vtb_rt.options & VTB_OPT_REAL_TIME || next == UINT64_MAX || !somebody(expects_answer))
		return false;
	msec = (next - vtb_sched.now) / 1000000;
	return watch_outside(msec < OUTSIDE_MSEC ? msec : OUTSIDE_MSEC);
}

static bool waits_for_child(const struct vtb_rt_thread *t)
{
	return waits_outside(t) && vtb_syscall_waits_for(t->sched.call) == WAIT_CHILD;
}

/* Nobody goes on, and what one of them waits for has not come. */
static const char *why_nobody(void)
{
	if (vtb_follow_left() && somebody(waits_for_child))
		return "every thread waits, and the forked process that one of them waits for does not end: "
		       "--follow-children takes the control along with it";
	return "every thread waits, and the input that one of them waits for does not come";
}

bool vtb_syscall_outside(void)
{
	if (!vtb_io_from_outside(true) || (!somebody(waits_outside) && !vtb_child_signal_expected()))
		return false;
	if (watch_outside(OUTSIDE_MSEC))
		return true;
	vtb_shared_memory_waits();
	vtb_failure_end(VTB_V_TIMEOUT, 0, 0, 0, why_nobody());
}
