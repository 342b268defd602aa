/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fairness (docs/algorithms.md, "Schedules"): no schedule hangs on a spin. A thread that yields again and again, or
 * reads values again and again that nobody has changed, is held back until somebody changes something. That is a wait,
 * not a preemption.
 *
 *   epoch   grows with every write and every operation on a synchronisation object
 *   seen    a small table a thread: address -> address and value of its last read there, in one word
 */
#include "scheduler.h"

#include <time.h>

#include "fast.h"
#include "wake_source.h"
#include "sys.h"

#define YIELDS 3u
#define IDLES 10u      /* the same for polls that found nothing: nobody does less while it looks on */
#define IDLES_OWN 100u /* while only the thread itself wrote */
#define YIELDS_OWN 100u /* while only the thread itself wrote, or locked and unlocked: counting tries */
#define ROUNDS 100u     /* times that all threads spin at once before it is called a livelock */
#define ROUND_MSEC 80u  /* between the later half of them, if what they look for may come from outside */

static bool reads_only(const struct vtb_call *call)
{
	return call->idle || call->kind == VTB_E_READ || call->kind == VTB_E_ATOMIC_LOAD || call->kind == VTB_E_ATOMIC_CAS_FAIL ||
	       (call->kind == VTB_E_FUTEX_WAIT && call->value) ||
	       ((call->kind == VTB_E_TRYLOCK || call->kind == VTB_E_TRYRDLOCK || call->kind == VTB_E_TRYWRLOCK || call->kind == VTB_E_SEM_TRYWAIT) && call->value);
}

uint64_t *vtb_fair_table(struct vtb_rt_thread *t)
{
	if (!t->seen)
		t->seen = vtb_rt_alloc_aside(VTB_SEEN * sizeof(*t->seen));
	return t->seen;
}

/* Has the thread seen this value here before? Remembers it. */
static bool seen_before(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const uint64_t key = vtb_seen_key((uint64_t)call->obj, call->value);
	uint64_t *seen;

	if (!vtb_fair_table(t))
		return false;
	seen = vtb_seen_at(t, (uint64_t)call->obj);
	if (*seen == key)
		return true;
	*seen = key;
	return false;
}

void vtb_fair_hold_back(struct vtb_rt_thread *t)
{
	t->spinning = true;
	t->spin_epoch = vtb_sched.epoch;
	t->spins = t->own_spins = 0;
}

/* A loop that takes a lock, looks, and yields has changed something each time round, and still only waits. Once it was held back for that,
 * some yields after somebody has moved will do again; a value it has not read before lets it try as often as the first time. */
static void note_yield(struct vtb_rt_thread *t)
{
	t->spins += VTB_REREADS / YIELDS + 1;
	if (++t->yields > YIELDS_OWN)
		vtb_fair_hold_back(t);
}

void vtb_fair_wrote(struct vtb_rt_thread *t)
{
	vtb_sched.epoch++;
	vtb_sched.spin_rounds = 0;
	vtb_sched.clock_reads = 0;
	t->own_epoch++;
}

void vtb_fair_note(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const uint64_t others = vtb_sched.epoch - t->own_epoch;

	if (t->spin_others != others) { /* somebody else has moved */
		t->spin_others = others;
		t->spins = t->own_spins = 0;
		t->yields = t->yields < YIELDS_OWN - YIELDS ? 0 : YIELDS_OWN - YIELDS;
	}
	if (call->kind == VTB_E_YIELD) {
		note_yield(t);
	} else if (reads_only(call)) {
		if (seen_before(t, call)) {
			t->spins += call->idle ? VTB_REREADS / IDLES : 1;
			t->own_spins += call->idle ? VTB_REREADS_OWN / IDLES_OWN : 1;
		} else {
			t->yields = 0;
		}
	} else if (call->kind != VTB_E_SLEEP) {
		vtb_fair_wrote(t);
		t->spins = 0;
	}
	if (t->spins > VTB_REREADS || t->own_spins > VTB_REREADS_OWN)
		vtb_fair_hold_back(t);
}

bool vtb_fair_waits(const struct vtb_rt_thread *t)
{
	return t->spinning && t->spin_epoch == vtb_sched.epoch;
}

/* Has anybody made a system call since all began to spin? Where a filter catches calls, it lets most of them pass unseen. */
static bool somebody_asks(void)
{
	return vtb_sched.calls != vtb_sched.spin_calls || vtb_catching.filtered;
}

/* A loop of polls may wait for another process, and a loop of reads for a child with which memory is shared. O(descriptors). */
static void let_others_work(void)
{
	const struct timespec tick = {.tv_nsec = ROUND_MSEC * 1000000};

	if (vtb_sched.spin_rounds > ROUNDS / 2 && vtb_sources_outside(somebody_asks()))
		sys3(SYS_nanosleep, (long)&tick, 0, 0);
}

bool vtb_fair_retry(void)
{
	uint64_t pc = 0;
	bool any = false;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->state == VTB_T_ALIVE && vtb_fair_waits(t)) {
			t->spinning = false;
			pc = t->call->pc;
			any = true;
		}
	}
	if (any && ++vtb_sched.spin_rounds > ROUNDS)
		vtb_failure_end(VTB_V_LIVELOCK, 0, pc, 0, "every thread waits in a loop for something that no thread does");
	if (vtb_sched.spin_rounds == 1)
		vtb_sched.spin_calls = vtb_sched.calls;
	if (any)
		let_others_work();
	return any;
}
