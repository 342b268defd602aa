/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sys.h
 * System calls without libc: no errno, no cancellation, nothing that an interposer could see. Negative errno on
 * failure.
 */
#ifndef VTB_RT_SYS_H
#define VTB_RT_SYS_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	long r;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
	                 : "=a"(r)
	                 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return r;
}

static inline long sys3(long nr, long a, long b, long c)
{
	return sys6(nr, a, b, c, 0, 0, 0);
}

/** Sleep until *word may no longer be `value`. Returns at once if it is not; may return early. */
static inline void sys_futex_wait(const uint32_t *word, uint32_t value)
{
	sys6(SYS_futex, (long)word, FUTEX_WAIT, (long)value, 0, 0, 0);
}

static inline void sys_futex_wake(const uint32_t *word, int waiters)
{
	sys6(SYS_futex, (long)word, FUTEX_WAKE, waiters, 0, 0, 0);
}

_Noreturn static inline void sys_exit_group(int status)
{
	for (;;)
		sys3(SYS_exit_group, status, 0, 0);
}

/**
 * Map memory of the runtime's own where the kernel puts none of the program's: what the program maps, and the stacks of
 * its threads, are then at the same addresses whatever an engine maps besides. NULL: there is none. (own_memory.c)
 */
void *vtb_own_pages(size_t size, int prot, int flags, int fd) __attribute__((visibility("hidden")));

/** Zeroed private memory, or NULL. */
static inline void *sys_pages(size_t size)
{
	return vtb_own_pages(size, 3 /* read, write */, 0x22 /* private, anonymous */, -1);
}

/** Memory that all processes and rolled-back states share; NULL if there is none. */
static inline void *vtb_shared_pages(size_t size)
{
	return vtb_own_pages(size, 3 /* read, write */, 0x21 /* shared, anonymous */, -1);
}

static inline uint64_t sys_load64(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/** Install a three-argument signal handler; while it runs, the signals of `blocked` wait. Its return is a system call
 * from our own text (sigreturn.c), so that a handler may interrupt code whose system calls are watched. */
static inline long sys_handle(int signal, void *handler, unsigned long flags, uint64_t blocked)
{
	extern void vtb_rt_sigreturn(void) __attribute__((visibility("hidden")));
	const struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} action = { handler, flags | 4 /* SA_SIGINFO */ | 0x40000000 /* SA_NODEFER */ | 0x04000000 /* SA_RESTORER */,
		     (void *)vtb_rt_sigreturn, blocked };

	return sys6(SYS_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
}

#endif /* VTB_RT_SYS_H */
