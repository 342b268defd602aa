/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program wants to happen at faults. The runtime reads memory that may not be there, and goes on behind such
 * a read (peek.c); that fault is not the program's, and nothing of the program's may see it. So whatever the program
 * sets, a handler of the runtime is the first:
 *
 *     SIG_DFL    ──► as at the start: the runtime's, which ends the run and says where (failure.c)
 *     a handler  ──► at(), which calls it if the fault is the program's
 *     SIG_IGN    ──► at(), which lets pass what was sent; a fault of the program's ends it, as the kernel has it
 *
 * What was set is a variable of this process, which engines put back with the rest of its memory.
 *
 * While a handler runs the runtime reads on, so the kernel must not block the signal meanwhile (VTB_SIGNALS_OWN): a
 * handler that faults itself is called again until its stack is full, and ends by the same signal as it would at once.
 */
#include "base.h"
#include "signals.h"

#define FLAG_RESTORER 0x04000000u

static struct vtb_action set[2]; /* of SIGSEGV, SIGBUS: where the kernel calls at() */

static struct vtb_action *set_of(int signal)
{
	return &set[signal == SIGBUS];
}

static bool is_for(const struct vtb_action *a, const void *handler)
{
	return (const void *)a->handler == handler;
}

static void ask_kernel(int signal, struct vtb_action *ret)
{
	vtb_engine_written(ret, sizeof(*ret));
	sys6(SYS_rt_sigaction, signal, 0, (long)ret, 8, 0, 0);
}

static void tell_kernel(int signal, const struct vtb_action *a)
{
	sys6(SYS_rt_sigaction, signal, (long)a, 0, 8, 0, 0);
}

static void at(int signal, siginfo_t *info, void *context)
{
	const struct vtb_action a = *set_of(signal);
	void (*handler)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))(void *)a.handler;

	if (info->si_code > 0 && vtb_failure_is_own(signal, info, context))
		return;
	if (a.handler == SIG_IGN) {
		if (info->si_code > 0)
			vtb_failure_handle(signal, info, context);
		return;
	}
	if (a.flags & SA_RESETHAND) {
		struct vtb_action by_default = { .handler = SIG_DFL };

		vtb_fault_handlers_enter(signal, &by_default);
		tell_kernel(signal, &by_default);
	}
	handler(signal, info, context);
}

void vtb_fault_handlers_enter(int signal, struct vtb_action *a)
{
	extern void vtb_rt_sigreturn(void) __attribute__((visibility("hidden")));

	if (!vtb_failure_handles(signal) || is_for(a, (void *)at) || is_for(a, (void *)vtb_failure_handle))
		return;
	if (a->handler == SIG_DFL) {
		*a = (struct vtb_action){ (void (*)(int))(void *)vtb_failure_handle, VTB_FAILURE_FLAGS, NULL, 0 };
	} else if (signal == SIGSEGV || signal == SIGBUS) {
		*set_of(signal) = *a;
		a->flags = (a->flags & ~(uint64_t)SA_RESETHAND) | SA_SIGINFO | SA_NODEFER;
		a->handler = (void (*)(int))(void *)at;
	} else {
		return;
	}
	a->flags |= FLAG_RESTORER;
	a->restorer = (void *)vtb_rt_sigreturn;
}

void vtb_fault_handlers_tell(int signal, struct vtb_action *a)
{
	if (is_for(a, (void *)at))
		*a = *set_of(signal);
	else if (is_for(a, (void *)vtb_failure_handle))
		*a = (struct vtb_action){ .handler = SIG_DFL };
}

void vtb_fault_handlers_begin(void)
{
	for (int signal = 1; signal < NSIG; signal++) {
		struct vtb_action a;

		if (!vtb_failure_handles(signal))
			continue;
		ask_kernel(signal, &a);
		vtb_fault_handlers_enter(signal, &a);
		tell_kernel(signal, &a);
	}
}

void vtb_fault_handlers_end(void)
{
	for (int signal = 1; signal < NSIG; signal++) {
		struct vtb_action a;

		if (!vtb_failure_handles(signal))
			continue;
		ask_kernel(signal, &a);
		vtb_fault_handlers_tell(signal, &a);
		tell_kernel(signal, &a);
	}
}
