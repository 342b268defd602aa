/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals that the runtime has a handler of its own for. The program is told what it has set, and that is what happens
 * when such a signal is the program's. */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "base.h"
#include "scheduler.h"
#include "signals.h"

static struct kept {
	int signal;
	const char *ends; /* the run, if the program has set nothing */
	bool kept;
	struct vtb_action told;
} all[] = {
	{ .signal = SIGSYS, .ends = "bad system call" },
	{ .signal = SIGTRAP, .ends = "the program executed a trap instruction" },
	{ .signal = SIGPROF, .kept = true }, /* the ticks of watchdog.c: none is the program's */
};

static struct kept *find(int signal)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].signal == signal)
			return &all[i];
	return NULL;
}

bool vtb_signals_keep(int signal, void (*handler)(int, siginfo_t *, void *), unsigned long flags, uint64_t blocked)
{
	struct kept *k = find(signal);

	if (!k->kept)
		k->told = vtb_signal_action(signal);
	k->kept = sys_handle(signal, (void *)handler, flags, blocked) == 0;
	return k->kept;
}

void vtb_signals_of_program(int signal, siginfo_t *info, void *context)
{
	const struct kept *k = find(signal);
	const uint64_t at = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	if (k->told.handler == SIG_IGN && info->si_code <= 0)
		return;
	if (k->told.handler != SIG_DFL && k->told.handler != SIG_IGN)
		((void (*)(int, siginfo_t *, void *))(void *)k->told.handler)(signal, info, context);
	else if (vtb_sched.active && vtb_self)
		vtb_failure_end(VTB_V_SIGNAL, signal, info->si_code > 0 ? at : vtb_self->base.pc, 0, k->ends);
	else
		sys_exit_group(128 + signal);
}

void vtb_signals_kept_end(void)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].kept && all[i].signal != SIGSYS) /* of calls that a filter makes trap, if there is one */
			sys6(SYS_rt_sigaction, all[i].signal, (long)&all[i].told, 0, 8, 0, 0);
}

bool vtb_signals_tell_kept(int signal, struct vtb_action *ret)
{
	const struct kept *k = find(signal);

	if (!k || !k->kept)
		return false;
	*ret = k->told;
	return true;
}

bool vtb_signals_set_kept(const greg_t *g, long *ret)
{
	struct kept *k = g[REG_RAX] == SYS_rt_sigaction ? find((int)g[REG_RDI]) : NULL;

	if (!k || !k->kept)
		return false;
	if (g[REG_RDX])
		memcpy((void *)g[REG_RDX], &k->told, sizeof(k->told));
	if (g[REG_RSI])
		memcpy(&k->told, (const void *)g[REG_RSI], sizeof(k->told));
	*ret = 0;
	return true;
}
