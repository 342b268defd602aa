/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that runs on and on without an operation, while others could run, waits in a loop on something that has no
 * hook (inside a library, or a variable the compiler keeps in memory unseen). After 20 to 40 ms of processor time it is
 * held back like any other spinning thread. So is one that goes round in a loop that has no way out (endless.c),
 * whatever it does there. Where exactly is a matter of time, so the outcome says so. If nobody and nothing else is
 * left, the run ends with that loop.
 */
#include <signal.h>
#include <ucontext.h>
#include <time.h>

#include "scheduler.h"
#include "base.h"

#define TICK_NSEC 20000000
#define LOOP_BYTES 512u

static uint64_t points_seen VTB_HISTORY;
static uint32_t idle_ticks VTB_HISTORY;

static const struct vtb_primitive primitive_spin = { "unseen spin", NULL, NULL, NULL, true, NULL };

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static uint64_t same_loop VTB_HISTORY; /* where the last tick found a loop without a way out */

/* Does the thread go round in a loop that only writes, or does nothing, and that nothing in it ends? Not at the first
 * look: a signal may be about to take it out. */
static enum vtb_endless goes_round(uint64_t pc)
{
	const uint64_t before = same_loop;
	const enum vtb_endless found = vtb_endless(pc);

	same_loop = found == VTB_MAY_END ? 0 : pc;
	return same_loop && before && same_loop - before + LOOP_BYTES < 2 * LOOP_BYTES ? found : VTB_MAY_END;
}

/* Let others go on, or time. */
static void hold_back(struct vtb_rt_thread *t, bool stuck)
{
	idle_ticks = 0;
	vtb_sched.slot->outcome.flags |= VTB_OUT_HELD_BACK;
	vtb_fair_hold_back(t);
	t->sched.stuck = stuck;
	vtb_op(t, &primitive_spin, VTB_E_YIELD, NULL);
	vtb_cancel_async(t);
}

/* What it has written since it was last at a point, others may have waited for. */
static bool others_can_go_on(struct vtb_rt_thread *t)
{
	vtb_stretch_end();
	vtb_fair_see_written(t);
	vtb_ready_look_at_held();
	return vtb_ready_count() > t->sched.enabled;
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	struct vtb_rt_thread *t, *running;
	enum vtb_endless endless;

	(void)info;
	/* In the middle of our own code nothing can be relied on: a process that is being rolled back is half the old,
	 * half the new one. And a thread that is there does not spin. */
	if (pc - (uint64_t)__ehdr_start < (uint64_t)(etext - __ehdr_start) || vtb_rt_is_near(pc))
		return;
	t = vtb_self;
	running = vtb_sched.running;
	if (!vtb_sched.active || !running)
		return;
	if (t != running) { /* the kernel has picked a thread that waits for its turn */
		if (running->sched.kernel_id)
			sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), running->sched.kernel_id, signal);
		return;
	}
	idle_ticks = vtb_stretch_points() == points_seen ? idle_ticks + 1 : 0;
	points_seen = vtb_stretch_points();
	if (t->base.inside)
		return;
	endless = goes_round(pc);
	if (idle_ticks < 2 && endless == VTB_MAY_END)
		return;
	if (others_can_go_on(t) || (endless != VTB_MAY_END && vtb_fair_something_may_come()))
		hold_back(t, endless == VTB_STUCK);
	else if (endless != VTB_MAY_END)
		vtb_failure_end(VTB_V_LIVELOCK, 0, pc + 1, 0,
		                "the compiler removed the read"); /* other places are return addresses */
}

/* A timer of this process image: unlike setitimer's it does not go on behind exec, to kill a program that has no
 * handler. */
void vtb_watchdog_start(void)
{
	const struct itimerspec every = { { 0, TICK_NSEC }, { 0, TICK_NSEC } };
	struct sigevent tick = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	int timer;

	points_seen = UINT64_MAX;
	if (sys_handle(SIGPROF, (void *)on_tick, SA_RESTART, 0) == 0 &&
	    sys3(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, (long)&tick, (long)&timer) == 0)
		sys6(SYS_timer_settime, timer, 0, (long)&every, 0, 0, 0);
}
