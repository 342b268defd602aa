/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's own handlers of memory faults. The runtime reads memory that may not be there, and goes on behind such
 * a read (peek.c); that fault is not the program's, and its handler must not see it. So the kernel calls one of
 * `entries` first, which calls the handler of the same number if the fault is the program's.
 *
 * Which handler the kernel has tells which is the program's: entries are never used again for another, so an engine
 * that sets actions back needs to know nothing of this. A program with more handlers than entries keeps the rest as
 * they are without the runtime.
 *
 * While a handler runs the runtime reads on, so the kernel must not block the signal meanwhile (VTB_SIGNALS_OWN): a
 * handler that faults itself is called again until its stack is full, and ends by the same signal as it would at once.
 */
#include "base.h"
#include "signals.h"

#define FLAG_RESTORER 0x04000000u

struct kept {
	void (*handler)(int);
	uint64_t flags;
	void *restorer;
};

static struct kept kept[8];

static void pass_on(unsigned i, int signal, siginfo_t *info, void *context)
{
	const struct vtb_action by_default = { .handler = SIG_DFL };
	void (*handler)(int, siginfo_t *, void *) = (void (*)(int, siginfo_t *, void *))(void *)kept[i].handler;

	if (info->si_code > 0 && vtb_failure_is_own(signal, info, context))
		return;
	if (kept[i].flags & SA_RESETHAND)
		sys6(SYS_rt_sigaction, signal, (long)&by_default, 0, 8, 0, 0);
	handler(signal, info, context);
}

#define ENTRY(i)                                                         \
	static void entry##i(int signal, siginfo_t *info, void *context) \
	{                                                                \
		pass_on(i, signal, info, context);                       \
	}                                                                \
	_Static_assert(i < sizeof(kept) / sizeof(kept[0]), "room")
ENTRY(0);
ENTRY(1);
ENTRY(2);
ENTRY(3);
ENTRY(4);
ENTRY(5);
ENTRY(6);
ENTRY(7);

static void (*const entries[])(int, siginfo_t *, void *) = { entry0, entry1, entry2, entry3,
	                                                     entry4, entry5, entry6, entry7 };

static int place_of(const struct vtb_action *a)
{
	for (int i = 0; i < 8; i++) {
		if (!kept[i].handler)
			kept[i] = (struct kept){ a->handler, a->flags, a->restorer };
		if (kept[i].handler == a->handler && kept[i].flags == a->flags && kept[i].restorer == a->restorer)
			return i;
	}
	return -1;
}

void vtb_fault_handlers_enter(int signal, struct vtb_action *a)
{
	extern void vtb_rt_sigreturn(void) __attribute__((visibility("hidden")));
	int i;

	if ((signal != SIGSEGV && signal != SIGBUS) || a->handler == SIG_DFL || a->handler == SIG_IGN)
		return;
	for (i = 0; i < 8; i++)
		if ((void *)a->handler == (void *)entries[i])
			return;
	i = place_of(a);
	if (i < 0)
		return;
	a->handler = (void (*)(int))(void *)entries[i];
	a->flags = (a->flags & ~(uint64_t)SA_RESETHAND) | SA_SIGINFO | SA_NODEFER | FLAG_RESTORER;
	a->restorer = (void *)vtb_rt_sigreturn;
}

void vtb_fault_handlers_tell(struct vtb_action *a)
{
	for (int i = 0; i < 8; i++)
		if ((void *)a->handler == (void *)entries[i]) {
			a->handler = kept[i].handler;
			a->flags = kept[i].flags;
			a->restorer = kept[i].restorer;
			return;
		}
}
