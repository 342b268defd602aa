/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGCHLD of child processes. While threads of the program run, the kernel gives it to the handler. Whoever waits for
 * it by sigwait(), sigsuspend() or signalfd waits in the model: so while nobody can go on it is held back in the kernel
 * and fetched from there.
 */
#include <signal.h>
#include <time.h>

#include "base.h"
#include "signals.h"
#include "syscalls.h"

static const uint64_t set = 1ull << (SIGCHLD - 1);

static bool waits_for_signal(const struct vtb_rt_thread *t)
{
	return t->base.state == VTB_T_ALIVE && t->sched.call && t->sched.call->kind == VTB_E_SIGNAL_HANDLE;
}

bool vtb_child_signal_expected(void)
{
	if (!vtb_io_has_children())
		return false;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (waits_for_signal(vtb_rt.threads[i]))
			return true;
	return vtb_signalfd_has(SIGCHLD);
}

uint64_t vtb_child_signal_hold(void)
{
	uint64_t before = 0;

	sys6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, (long)&before, sizeof(before), 0, 0);
	return before;
}

void vtb_child_signal_release(uint64_t before)
{
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(before), 0, 0);
}
