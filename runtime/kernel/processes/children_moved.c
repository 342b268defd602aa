/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a call has let child processes do, as the schedules that come to be tried have to know it: its operation depends
 * on whatever they may have done, and the signal of one that has ended is there.
 */
#include <signal.h>
#include <time.h>

#include "base.h"
#include "signals.h"
#include "syscalls.h"

static const uint64_t set = 1ull << (SIGCHLD - 1);

bool vtb_child_signal_take(void)
{
	const struct timespec at_once = { 0 };
	siginfo_t info;

	if (sys6(SYS_rt_sigtimedwait, (long)&set, (long)&info, (long)&at_once, sizeof(set), 0, 0) != SIGCHLD)
		return false;
	vtb_signals_generate(SIGCHLD, &info, VTB_SIGNAL_PROCESS);
	vtb_sched_recheck();
	return true;
}

void vtb_children_go_on(struct vtb_rt_thread *t, bool by_call)
{
	const bool moved = vtb_children_rest();

	while (moved && vtb_child_signal_take())
		;
	if (!moved || vtb_sched_alone(t))
		return;
	if (t->sched.told && (!by_call || t->sched.told != t->kernel.call_told || t->kernel.step))
		t->sched.told[-1] |= (uint64_t)(vtb_memory_is_shared() ? VTB_MOVES_ALL : VTB_MOVES_IO) << 12;
	else
		vtb_children_not_decided();
}

void vtb_children_look_late(const struct vtb_syscall *row)
{
	if (row->wait != WAIT_NAMES && (row->wait != WAIT_LOOK || !row->deed))
		return;
	vtb_children_late = false;
	if (vtb_children_go_by_themselves(true))
		vtb_children_not_decided();
}
