/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carrier `threads`: every thread of the program is a kernel thread; a baton goes from one to the next.
 *
 *     from: to->carriers.go = 1, wake, wait until from->carriers.go ── to: runs
 *
 * The process is pinned to one processor (run_server.c): only one thread runs at a time, and a hand-over within one
 * processor costs 2 us instead of 10 and more.
 */
#include <errno.h>

#include "carriers.h"
#include "base.h"
#include "scheduler.h"
#include "kernel.h"

static void wake(struct vtb_rt_thread *to)
{
	__atomic_store_n(&to->carriers.go, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&to->carriers.go, 1);
}

static void wait(struct vtb_rt_thread *t)
{
	while (!__atomic_exchange_n(&t->carriers.go, 0, __ATOMIC_ACQUIRE))
		sys_futex_wait(&t->carriers.go, 0);
}

static void hand_over(struct vtb_rt_thread *from, struct vtb_rt_thread *to)
{
	wake(to);
	wait(from);
}

static void leave(struct vtb_rt_thread *from, struct vtb_rt_thread *to)
{
	(void)from;
	vtb_syscalls_release(); /* what glibc does from here on, with all signals blocked, runs beside the program */
	if (to)                 /* else the last one: glibc ends the process */
		wake(to);
}

static void *begin(void *arg)
{
	struct vtb_rt_thread *t = arg;

	vtb_rt_thread_here(t);
	t->base.inside++;
	t->sched.kernel_id = (int)sys3(SYS_gettid, 0, 0, 0);
	vtb_failure_thread();
	if (vtb_sched.catches)
		vtb_syscalls_catch(false);
	__atomic_store_n(&t->carriers.parked, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&t->carriers.parked, 1);
	wait(t);
	t->base.inside--;
	return vtb_carrier_body(t);
}

/* Waits until the new thread is parked: what glibc does at a thread's start must not run beside the program. */
static int create(struct vtb_rt_thread *child, pthread_t *handle, const pthread_attr_t *attr)
{
	const int r = vtb_real.pthread_create(handle, attr, begin, child);

	if (r)
		return r;
	while (!__atomic_load_n(&child->carriers.parked, __ATOMIC_ACQUIRE))
		sys_futex_wait(&child->carriers.parked, 0);
	return 0;
}

static int join(struct vtb_rt_thread *ended, void **ret_result)
{
	return vtb_real.pthread_join(ended->base.handle, ret_result);
}

static int detach(struct vtb_rt_thread *t)
{
	return vtb_real.pthread_detach(t->base.handle);
}

const struct vtb_carrier vtb_carrier_threads = { "threads", create, hand_over,           leave, join, detach,
	                                         NULL,      NULL,   &vtb_carrier_threads };
