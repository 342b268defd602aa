/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program has said is to happen at a signal, as the kernel has it. */
#include <signal.h>

#include "base.h"
#include "scheduler.h"
#include "signals.h"
#include "syscalls.h"

struct vtb_action vtb_signal_action(int signal)
{
	struct vtb_action a = { 0 };

	if (vtb_signals_tell_kept(signal, &a))
		return a;
	vtb_engine_written(&a, sizeof(a));
	sys6(SYS_rt_sigaction, signal, 0, (long)&a, 8, 0, 0);
	if ((void *)a.handler != (void *)vtb_failure_handle)
		vtb_fault_handlers_tell(signal, &a);
	return a;
}

static bool ignored_by_default(int signal)
{
	return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool vtb_signal_stops(const struct vtb_action *a, int signal)
{
	return a->handler == SIG_DFL && (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

bool vtb_signal_ignored(const struct vtb_action *a, int signal)
{
	return a->handler == SIG_IGN || (a->handler == SIG_DFL && ignored_by_default(signal));
}

bool vtb_signal_ends_process(int signal)
{
	const struct vtb_action a = vtb_signal_action(signal);

	return a.handler == SIG_DFL && !ignored_by_default(signal) && !vtb_signal_stops(&a, signal);
}

bool vtb_signals_sets_handler(const greg_t *g)
{
	const struct vtb_action *a = (const struct vtb_action *)g[REG_RSI];

	return a && a->handler != SIG_DFL && a->handler != SIG_IGN;
}

int vtb_signals_begins_to_ignore(const greg_t *g)
{
	const struct vtb_action *wanted = (const struct vtb_action *)g[REG_RSI];

	return wanted && g[REG_RDI] > 0 && g[REG_RDI] < NSIG && vtb_signal_ignored(wanted, (int)g[REG_RDI])
	           ? (int)g[REG_RDI]
	           : 0;
}

long vtb_signals_set_action(const greg_t *g)
{
	const struct vtb_action *wanted = (const struct vtb_action *)g[REG_RSI];
	struct vtb_action *before = (struct vtb_action *)g[REG_RDX], a;
	long r;

	if (wanted) {
		a = *wanted;
		a.mask &= ~VTB_SIGNALS_OWN;
		vtb_fault_handlers_enter((int)g[REG_RDI], &a);
	}
	r = sys6(SYS_rt_sigaction, g[REG_RDI], wanted ? (long)&a : 0, (long)before, g[REG_R10], 0, 0);
	if (r == 0 && before)
		vtb_fault_handlers_tell((int)g[REG_RDI], before);
	return r;
}

/* ---- which signals are pending */

static uint64_t come; /* in this run: of others nothing is pending */

void vtb_signals_note_come(int signal)
{
	come |= 1ull << (signal - 1);
}

void vtb_signals_looked_at(struct vtb_rt_thread *t, uint64_t set)
{
	if ((set & come || t->kernel.timer_at) && vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, VTB_E_IO_READ, vtb_io_name(VTB_IO_SIGNALS, 0));
	vtb_signals_opened(set);
}
