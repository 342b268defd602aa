/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual time: the clock stands still while anybody can run, and jumps to the next deadline when all wait. Reading the
 * clock moves it a little, more and more while nothing else happens, so that loops on the clock end.
 */
#include "base.h"
#include "scheduler.h"
#include "wake_source.h"

#define SECOND 1000000000ull
/* The same in every run, and both in the past: for a forked child, which has the kernel's clocks, time jumps forward,
 * so that what it has inherited as a deadline is over instead of never coming. */
#define EPOCH_REALTIME (1767225600ull * SECOND) /* 2026-01-01 */
#define EPOCH_OTHER (60ull * SECOND)            /* time since boot */
#define READ_STEP 1000ull
#define READ_STEP_MAX (10000000ull)
#define READS_ALONE 64u /* the step doubles after so many reads during which nothing happens, */
#define READS_OWN                                                                                                    \
	1024u /* or after so many during which nobody but the reader does anything: it may be polling the clock in a \
	         loop */

static uint64_t virtual_epoch(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? EPOCH_REALTIME
	                                                                                       : EPOCH_OTHER;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now = { 0 };

	vtb_engine_written(&now, sizeof(now));
	sys3(SYS_clock_gettime, clock, (long)&now, 0);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static bool is_real(void)
{
	return vtb_rt.options & VTB_OPT_REAL_TIME;
}

void vtb_time_look(void)
{
	uint64_t now;

	if (VTB_LIKELY(!is_real()))
		return;
	now = read_clock(CLOCK_MONOTONIC);
	if (!vtb_sched.real_start)
		vtb_sched.real_start = now;
	vtb_sched.now = now - vtb_sched.real_start;
}

void vtb_time_goes_on(void)
{
	const uint64_t before = vtb_sched.now;
	bool over;

	vtb_time_look();
	over = vtb_sources_next() <= vtb_sched.now;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		over |=
		    vtb_rt.threads[i]->sched.deadline > before && vtb_rt.threads[i]->sched.deadline <= vtb_sched.now;
	vtb_sources_fire();
	if (over)
		vtb_sched_recheck();
}

/* What a thread has used up is the time that has passed while it looked at clocks: nothing else takes any. */
static const uint64_t *used_by(const struct vtb_rt_thread *t)
{
	return t ? &t->sched.used : NULL;
}

/* A clock of processor time, of the process or one of its threads; NULL: another one. Negative: an id and what it is of
 * (clock_getcpuclockid). */
static const uint64_t *used_of(clockid_t clock)
{
	const long id = ~(long)(clock >> 3);

	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		return &vtb_sched.used;
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return &vtb_self->sched.used;
	if (clock >= 0 || (clock & 3) == 3 /* a device */)
		return NULL;
	if (clock & 4)
		return id ? used_by(vtb_carrier_thread(id)) : &vtb_self->sched.used;
	return !id || vtb_id_behind(id) == sys3(SYS_getpid, 0, 0, 0) ? &vtb_sched.used : NULL;
}

static bool is_virtual(clockid_t clock)
{
	return !(vtb_rt.options & VTB_OPT_REAL_TIME) && (clock >= 0 || used_of(clock));
}

/* What a clock shows when the run's time is 0. */
static uint64_t epoch_of(clockid_t clock)
{
	if (VTB_LIKELY(!is_real()))
		return virtual_epoch(clock);
	vtb_time_look();
	return read_clock(clock) - vtb_sched.now;
}

uint64_t vtb_time_at(clockid_t clock, const struct timespec *until)
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

uint64_t vtb_ctl_deadline(clockid_t clock, const struct timespec *until)
{
	const bool is_time = until->tv_nsec >= 0 && until->tv_nsec < (long)SECOND;

	return is_time && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) ? vtb_time_at(clock, until)
	                                                                        : VTB_NOT_A_TIME;
}

/* A lock that is free at once shows no wait. What waits in every order (a condition) is told by its waits. */
void vtb_time_limits(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (call->kind != VTB_E_COND_WAKE && !vtb_sched_alone(t))
		vtb_sched.slot->outcome.flags |= VTB_OUT_TIMED;
}

static uint64_t read_step(struct vtb_rt_thread *t)
{
	const uint64_t others = vtb_sched.epoch - t->sched.own_epoch;
	uint64_t alone, own, doublings;

	if (t->sched.clock_others != others) {
		t->sched.clock_others = others;
		t->sched.clock_reads = 0;
	}
	alone = vtb_sched.clock_reads++ / READS_ALONE;
	own = t->sched.clock_reads++ / READS_OWN;
	doublings = alone > own ? alone : own;
	return doublings < 14 && READ_STEP << doublings < READ_STEP_MAX ? READ_STEP << doublings : READ_STEP_MAX;
}

static void pass(uint64_t step)
{
	vtb_sched.now += step;
	vtb_sched.used += step;
	vtb_self->sched.used += step;
	if (VTB_UNLIKELY(vtb_sources_next() <= vtb_sched.now)) {
		vtb_sources_fire();
		vtb_sched_recheck();
	}
}

/* Which of two threads reads first shows in what they read, though reading is no operation. Told once between two
 * operations of a thread. */
static void tell_read(struct vtb_rt_thread *t, uint64_t now)
{
	const uint64_t at = vtb_stretch_points() + 1;

	if (vtb_rt.n_threads < 2 || t->sched.clock_told == at)
		return;
	t->sched.clock_told = at;
	vtb_sched_fact(VTB_E_CLOCK_READ, t, 0, t->base.pc, now, 0);
}

bool vtb_ctl_clock_gettime(clockid_t clock, struct timespec *ret)
{
	const uint64_t *used;
	uint64_t now, step;

	vtb_progress_outside(vtb_self);
	if (!is_virtual(clock))
		return false;
	step = read_step(vtb_self);
	pass(step);
	if (VTB_UNLIKELY(step == READ_STEP_MAX))
		vtb_time_read_alone(vtb_self);
	used = used_of(clock);
	now = used ? *used : vtb_sched.now + epoch_of(clock);
	if (used != &vtb_self->sched.used)
		tell_read(vtb_self, now);
	ret->tv_sec = (time_t)(now / SECOND);
	ret->tv_nsec = (long)(now % SECOND);
	return true;
}

static void sleep_really(uint64_t until)
{
	const uint64_t span = until > vtb_sched.now ? until - vtb_sched.now : 0;
	const struct timespec sleep = { .tv_sec = (time_t)(span / SECOND), .tv_nsec = (long)(span % SECOND) };

	sys3(SYS_nanosleep, (long)&sleep, 0, 0);
	vtb_time_look();
}

uint64_t vtb_time_next(void)
{
	uint64_t next = vtb_sources_next();

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state == VTB_T_ALIVE && t->sched.call && t->sched.deadline > vtb_sched.now &&
		    t->sched.deadline < next)
			next = t->sched.deadline;
	}
	return next;
}

bool vtb_time_pass(void)
{
	const uint64_t next = vtb_time_next();

	if (next == UINT64_MAX)
		return false;
	if (VTB_UNLIKELY(is_real()))
		sleep_really(next);
	else
		vtb_time_alone();
	if (vtb_sched.now < next)
		vtb_sched.now = next;
	vtb_sources_fire();
	vtb_sched.times++; /* a spinner may be waiting for time */
	return true;
}
