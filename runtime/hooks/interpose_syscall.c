/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that programs make by syscall(): what they read and write; and, in record mode, futexes. Control mode
 * sees the system calls themselves (runtime/models/prim_futex.c); a system call instruction in the program's own code
 * is not recorded.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "base.h"
#include "told_memory.h"
#include "instr.h"
#include "kernel.h"

struct call {
	long nr, args[6];
};

static long real_call(const struct call *c)
{
	return VTB_CALL_REAL(syscall)(c->nr, c->args[0], c->args[1], c->args[2], c->args[3], c->args[4], c->args[5]);
}

static unsigned error_of(long r)
{
	return r == -1 ? (unsigned)errno : 0;
}

/* The queue is joined before the call has its result: a wait that never ends is in the recording, too. */
static long wait_at(struct vtb_rt_thread *t, const struct call *c)
{
	long r;

	vtb_rec_sync(t, VTB_E_FUTEX_WAIT, (const void *)c->args[0], 0, 0, 0, 0);
	r = real_call(c);
	vtb_rec_sync(t, VTB_E_FUTEX_WOKEN, (const void *)c->args[0], 0, error_of(r), 0, 0);
	return r;
}

/* A release: stamped before, told when it is known how many were woken. */
static long wake_at(struct vtb_rt_thread *t, const struct call *c, bool two)
{
	const uint64_t stamp = vtb_rt_stamp(), second = two ? vtb_rt_stamp() : 0;
	const long r = real_call(c);

	vtb_rec_sync(t, VTB_E_FUTEX_WAKE, (const void *)c->args[0], stamp, 0, r > 0 ? (uint64_t)r : 0, 0);
	if (two)
		vtb_rec_sync(t, VTB_E_FUTEX_WAKE, (const void *)c->args[4], second, 0, r > 0 ? (uint64_t)r : 0, 0);
	return r;
}

static long take(struct vtb_rt_thread *t, const struct call *c, unsigned kind)
{
	const long r = real_call(c);

	vtb_rec_sync(t, kind, (const void *)c->args[0], 0, error_of(r), 0, 0);
	return r;
}

static long recorded(struct vtb_rt_thread *t, const struct call *c)
{
	switch ((int)c->args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_at(t, c);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return wake_at(t, c, false);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
		return wake_at(t, c, true);
	case FUTEX_LOCK_PI:
		return take(t, c, c->args[3] ? VTB_E_TIMEDLOCK : VTB_E_LOCK);
	case FUTEX_TRYLOCK_PI:
		return take(t, c, VTB_E_TRYLOCK);
	case FUTEX_UNLOCK_PI:
		vtb_rec_sync(t, VTB_E_UNLOCK, (const void *)c->args[0], 0, 0, 0, 0);
		return real_call(c);
	default:
		return real_call(c);
	}
}

/* What the kernel reads and writes is told before and after, as for functions of libc. */
static long told(const struct call *c, uint64_t pc)
{
	long r;

	vtb_rt_tell_call(c->nr, c->args, pc);
	r = real_call(c);
	if (r != -1)
		vtb_rt_tell_call(c->nr, c->args, pc);
	else
		vtb_rt_tell_failed_call(c->nr, c->args, pc);
	return r;
}

VTB_EXPORT long syscall(long nr, ...)
{
	const uint64_t pc = VTB_CALLER;
	struct vtb_rt_thread *t = nr == SYS_futex ? vtb_rt_enter() : NULL;
	struct call c = { .nr = nr };
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		c.args[i] = va_arg(ap, long);
	va_end(ap);
	vtb_follow_calls(nr);
	if (nr != SYS_futex && vtb_rt_is_hooked(pc))
		return told(&c, pc);
	if (!t || vtb_rt_controls())
		return real_call(&c);
	t->base.pc = pc;
	return recorded(t, &c);
}
