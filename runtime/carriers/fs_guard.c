/* SPDX-License-Identifier: BSD-2-Clause */
#include "fs_guard.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "base.h"
#include "fiber.h"
#include "kernel.h"

#define TRAP_BY_EVENT 6            /* TRAP_PERF of si_code */
#define DATA_WORD 3                /* of siginfo_t, where the event's sig_data stands: newer than some headers */
#define OURS 0x6472617567736676ull /* sig_data: the program may have such events, too */
#define INSTRUCTION_BYTES 5
#define TRIES 3

/* In a page that no engine rolls back: what it says is true of the kernel thread, whatever the program's memory is. */
static struct guard {
	volatile uint64_t base;
	void *event; /* mapped: there is no descriptor that the program could close; NULL: it is no more */
	bool forbidden;
} * guard;

static enum { UNKNOWN, WORKS, DOES_NOT } known;

/* ---- the instruction */

static volatile bool is_missing;

static void on_missing(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	is_missing = true;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += INSTRUCTION_BYTES;
}

static uint64_t base_now(void)
{
	uint64_t base;

	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xc0" /* rdfsbase %rax */ : "=a"(base));
	return base;
}

static void set_base(uint64_t base)
{
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xd0" /* wrfsbase %rax */ : : "a"(base) : "memory");
}

static bool has_instruction(void)
{
	uint64_t before[4]; /* struct sigaction of the kernel's */

	sys6(SYS_rt_sigaction, SIGILL, 0, (long)before, 8, 0, 0);
	sys_handle(SIGILL, (void *)on_missing, 0, 0);
	is_missing = false;
	(void)base_now();
	sys6(SYS_rt_sigaction, SIGILL, (long)before, 0, 8, 0, 0);
	return !is_missing;
}

/* ---- the event */

/*
 * Of two signals that wait, the kernel prepares the frame of the event's first, and the other's on top of it: whose
 * handler would run first, with the base of another thread. So all that are no faults wait. A fault is always older
 * than the event.
 */
#define NOT_BEFORE (~VTB_SIGNALS_OWN | 1ull << (SIGPROF - 1))

/* A trap of the program's that waited for its handler has swallowed the event's: the base is set in any case. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	if (vtb_fs_guard_is_on()) /* the last one may come when it is no more */
		set_base(guard->base);
	if (info->si_code == TRAP_BY_EVENT && ((const uint64_t *)info)[DATA_WORD] == OURS)
		return;
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&((ucontext_t *)context)->uc_sigmask, 0, 8, 0, 0);
	vtb_signals_of_program(signal, info, context);
}

#ifdef PERF_ATTR_SIZE_VER7 /* Linux 5.13: an event that ends in a signal of its own thread */
/* NULL if there is none. */
static void *event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		                        .size = sizeof(attr),
		                        .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		                        .sample_period = 1,
		                        .sigtrap = 1,
		                        .remove_on_exec = 1,
		                        .sig_data = OURS };
	const long fd = sys6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	void *page;

	if (fd < 0)
		return NULL;
	page = vtb_own_pages(4096, PROT_READ, MAP_SHARED, (int)fd);
	sys3(SYS_close, fd, 0, 0);
	return page;
}
#else
static void *event(void)
{
	return NULL;
}
#endif

/* Asleep, the thread loses the processor. No thread-local storage and nothing on the stack that a compiler would guard
 * by it. */
static bool outlasts_sleep(void)
{
	static const struct timespec moment = { .tv_nsec = 1 };
	static uint64_t elsewhere[1];
	const uint64_t own = vtb_fiber_fs();
	bool stays = true;

	for (int i = 0; i < TRIES; i++) {
		vtb_fs_guard_expect((uint64_t)elsewhere);
		set_base((uint64_t)elsewhere);
		sys3(SYS_nanosleep, (long)&moment, 0, 0);
		stays &= base_now() == (uint64_t)elsewhere;
		vtb_fs_guard_expect(own);
		set_base(own);
	}
	return stays;
}

/* A debugger, or what else sees each signal first. */
static bool is_traced(void)
{
	static const char field[] = "\nTracerPid:\t";
	char text[2048];
	const long fd = sys6(SYS_openat, -100 /* AT_FDCWD */, (long)"/proc/self/status", 0, 0, 0, 0);
	const long n = fd < 0 ? -1 : sys3(SYS_read, fd, (long)text, sizeof(text) - 1);
	const char *at;

	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	if (n < 0)
		return false;
	text[n] = 0;
	at = strstr(text, field);
	return at && at[sizeof(field) - 1] != '0';
}

static bool open_guard(void)
{
	guard = vtb_shared_pages(4096);
	if (!guard)
		return false;
	guard->base = vtb_fiber_fs();
	vtb_signals_keep(SIGTRAP, on_trap, SA_RESTART, NOT_BEFORE);
	guard->event = event();
	return guard->event;
}

bool vtb_fs_guard_begin(void)
{
	if (known == DOES_NOT || vtb_rt.lacks & VTB_LACKS_GUARD || (guard && guard->forbidden))
		return false;
	if (known == UNKNOWN)
		known = !vtb_rt.block->breaks.used && !is_traced() && has_instruction() ? UNKNOWN : DOES_NOT;
	if (known != DOES_NOT && !open_guard()) /* with a page of its own: this may be a fork of the process before */
		known = DOES_NOT;
	if (known == UNKNOWN)
		known = outlasts_sleep() ? WORKS : DOES_NOT;
	if (known == DOES_NOT)
		vtb_fs_guard_end();
	return vtb_fs_guard_is_on();
}

void vtb_fs_guard_end(void)
{
	if (!vtb_fs_guard_is_on())
		return;
	vtb_fs_guard_tell_kernel();
	sys3(SYS_munmap, (long)guard->event, 4096, 0);
	guard->event = NULL;
}

void vtb_fs_guard_forbid(void)
{
	vtb_fs_guard_end();
	if (guard)
		guard->forbidden = true;
}

bool vtb_fs_guard_works(void)
{
	return known == WORKS;
}

bool vtb_fs_guard_is_on(void)
{
	return guard && guard->event;
}

void vtb_fs_guard_expect(uint64_t base)
{
	guard->base = base;
}

bool vtb_fs_guard_holds(void)
{
	return base_now() == guard->base;
}

void vtb_fs_guard_tell_kernel(void)
{
	if (vtb_fs_guard_is_on())
		sys3(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, (long)guard->base, 0);
}
