/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nobody but the clock. A thread goes round in a loop of waits with a time-out, and all others wait without one: each
 * time the clock jumps, or is moved on by the thread's own looks at it, the thread looks, and waits again. What it
 * looks for, nobody is left to do, as all that is not the thread's own doing stands still. Whether the thread itself
 * would leave the loop some day (it may count its rounds) is not known; so it is called a livelock after more of the
 * program's time than a test waits for anything.
 */
#include "base.h"
#include "scheduler.h"
#include "wake_source.h"

#define SPAN (3600 * 1000000000ull) /* virtual nanoseconds */
#define ROUNDS 1000u                /* jumps in it: not a few long waits */

static struct alone {
	uint64_t since;  /* when who waits for no time was last seen to do something */
	uint64_t others; /* what they have done by then */
	uint64_t asked;  /* system calls by then that ask what no model knows */
	uint64_t rounds;
} alone VTB_HISTORY;

/* What those have done who wait for no time: another number if one of them has gone on, or begun or ceased to be one
 * of them. *ret_thread: who waits for time, reads it (or NULL), or is held back as it
 * goes round. 0: these are not one, or all. */
static uint64_t done_by_others(const struct vtb_rt_thread *reader, const struct vtb_rt_thread **ret_thread)
{
	uint64_t sum = 0;

	*ret_thread = NULL;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state != VTB_T_ALIVE || (!t->sched.call && t != reader))
			continue;
		if (t != reader && !t->sched.deadline && !vtb_fair_waits(t))
			sum = (sum + t->sched.ops + 1) * VTB_SEEN_FACTOR;
		else if (*ret_thread)
			return 0;
		else
			*ret_thread = t;
	}
	return *ret_thread ? sum : 0;
}

static void begin_again(uint64_t others)
{
	alone = (struct alone){ .since = vtb_sched.now, .others = others, .asked = vtb_sched.asked };
}

static void look(const struct vtb_rt_thread *reader)
{
	const struct vtb_rt_thread *t;
	const uint64_t others = done_by_others(reader, &t);

	if (!others || others != alone.others || alone.asked != vtb_sched.asked) {
		begin_again(others);
		return;
	}
	if (++alone.rounds < ROUNDS || vtb_sched.now - alone.since < SPAN)
		return;
	if (vtb_sources_outside(true)) {
		begin_again(others);
		return;
	}
	if (vtb_sched.schedule->constraints && vtb_schedule_blocks())
		vtb_failure_end(VTB_V_INFEASIBLE, 0, 0, 0, "the constraints of the schedule cannot be met");
	vtb_sched.slot->outcome.flags |= VTB_OUT_SPUN_OPEN; /* no search is to take it for the end of all that can be */
	vtb_failure_end(VTB_V_LIVELOCK, 0, reader ? reader->base.pc : t->sched.call->pc, 0,
	                "one thread waits again and again until a time, the others wait for ever, and an hour of the "
	                "program's clock has changed nothing else");
}

void vtb_time_alone(void)
{
	look(NULL);
}

void vtb_time_read_alone(const struct vtb_rt_thread *t)
{
	if (vtb_ready_count() > t->sched.enabled)
		begin_again(0);
	else
		look(t);
}
