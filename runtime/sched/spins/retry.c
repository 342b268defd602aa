/* SPDX-License-Identifier: BSD-2-Clause */
/* All threads are held back: those who spin try again, and if nothing comes of it often enough it is a livelock. */
#include "scheduler.h"

#include <time.h>

#include "base.h"
#include "meet.h"
#include "wake_source.h"

#define ROUNDS_ASSUMED (10 * VTB_SPIN_ROUNDS) /* before it is a livelock, if that they spin is assumed of some, */
#define PAUSES_ASSUMED 100000u                /* or if each of these has given way so often: who computes does not */
#define ROUND_MSEC 80u /* between the later half of them, if what they look for may come from outside */

/* Has anybody made a system call since all began to spin? Where a filter catches calls, it lets most of them pass
 * unseen. */
static bool somebody_asks(void)
{
	return vtb_sched.calls != vtb_sched.spin_calls || vtb_catching.filtered;
}

/* A loop of polls may wait for another process, and a loop of reads for a child with which memory is shared.
 * O(descriptors). */
static void let_others_work(void)
{
	const struct timespec tick = { .tv_nsec = ROUND_MSEC * 1000000 };

	const uint32_t n = vtb_sched.spin_rounds;

	if (n > VTB_SPIN_ROUNDS / 2 && n <= VTB_SPIN_ROUNDS && vtb_sources_outside(somebody_asks()))
		sys3(SYS_nanosleep, (long)&tick, 0, 0);
}

/* All are held back: are they where they were, after they have tried again, and has nobody else changed anything? They
 * may be held back at several places in turn. */
static bool same_as_before(void)
{
	uint64_t others = vtb_sched.epoch, sum = 0;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state != VTB_T_ALIVE || !t->sched.spinning)
			continue;
		others -= t->sched.own_epoch; /* what it changes itself on its way is no progress */
		sum += t->sched.exact ? vtb_progress_print(t) : 0;
	}
	sum += others * VTB_SEEN_FACTOR;
	for (uint32_t i = 0; i < VTB_SPIN_PRINTS; i++)
		if (vtb_sched.spin_prints[i] == sum)
			return true;
	vtb_sched.spin_prints[vtb_sched.spin_next++ % VTB_SPIN_PRINTS] = sum;
	return false;
}

static bool is_held(const struct vtb_rt_thread *t)
{
	return t->base.state == VTB_T_ALIVE && vtb_fair_waits(t);
}

/* Who is stuck comes to nothing, each time after 20 to 40 ms: it tries again only if nobody else is left who could. */
static bool all_are_stuck(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (is_held(vtb_rt.threads[i]) && !vtb_rt.threads[i]->sched.stuck)
			return false;
	return true;
}

static bool tries_again(const struct vtb_rt_thread *t, bool all_stuck)
{
	return is_held(t) && (all_stuck || !t->sched.stuck);
}

/* If nobody's round changes anything they go one after the other: then nothing is to be decided on the way. The next
 * one's slot; or VTB_RT_THREADS_MAX, everybody's. */
static uint32_t whose_turn(bool all_stuck)
{
	uint32_t turn = VTB_RT_THREADS_MAX, first = VTB_RT_THREADS_MAX;

	for (uint32_t i = vtb_rt.n_threads; i-- > 0;) {
		if (!tries_again(vtb_rt.threads[i], all_stuck))
			continue;
		if (!vtb_progress_is_pure(vtb_rt.threads[i]))
			return VTB_RT_THREADS_MAX;
		first = i;
		turn = i >= vtb_sched.spin_turn ? i : turn;
	}
	return turn < VTB_RT_THREADS_MAX ? turn : first;
}

static bool gave_way(const struct vtb_rt_thread *t)
{
	return t->sched.pauses >= PAUSES_ASSUMED;
}

/* Of a thread that is not exactly where it was another round may be the last one. One alone that gives way all the time
 * meets nobody. */
static uint32_t rounds_to_livelock(bool assumed, const struct vtb_rt_thread *alone)
{
	if (alone && gave_way(alone) && !vtb_sources_outside(somebody_asks()))
		return 0;
	return assumed ? ROUNDS_ASSUMED : VTB_SPIN_ROUNDS;
}

/* A deviation of the schedule has come, or others have gone on. */
static void begin_to_count(void)
{
	vtb_sched.spin_rounds = 0;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		vtb_rt.threads[i]->sched.pauses = 0;
}

bool vtb_fair_retry(void)
{
	const bool all_stuck = all_are_stuck();
	const uint32_t turn = whose_turn(all_stuck);
	const bool chance = vtb_meet_chance();
	const struct vtb_rt_thread *last = NULL;
	bool assumed = false;
	uint32_t n = 0;

	if (!same_as_before() || !vtb_sched.spin_rounds)
		begin_to_count();
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (tries_again(t, all_stuck) && (turn == VTB_RT_THREADS_MAX || turn == i)) {
			assumed |= !t->sched.exact && !gave_way(t);
			vtb_progress_goes_on(t);
			last = t;
			n++;
		}
	}
	vtb_sched.spin_rounds += n && (turn == VTB_RT_THREADS_MAX || turn < vtb_sched.spin_turn);
	vtb_sched.spin_turn = turn == VTB_RT_THREADS_MAX ? 0 : turn + 1;
	if (n && vtb_sched.spin_rounds > rounds_to_livelock(assumed, n == 1 && !vtb_sched.spin_turn ? last : NULL) &&
	    !chance)
		vtb_failure_end(VTB_V_LIVELOCK, 0, last->sched.call->pc, 0,
		                "every thread waits in a loop for something that no thread does");
	if (vtb_sched.spin_rounds == 1)
		vtb_sched.spin_calls = vtb_sched.calls;
	if (n) {
		vtb_sched.unblocks = VTB_UNBLOCK_AGAIN;
		let_others_work();
	}
	return n;
}
