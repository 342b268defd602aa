/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carrier `fibers`: all threads of the program run on the main kernel thread; a turn passes by switching stacks.
 *
 * A thread that ends gives its stack back to its own kernel thread, which then finishes in glibc's exit path; the
 * carrier waits until the kernel has cleared the thread's id, so that nothing runs beside the program. Threads of the
 * pool are not given back: the process is rolled back after the run (engine_snapshot.c), or it is the fork of a server
 * that goes on (run_server.c), in which the stacks and descriptors are there and the kernel threads are not missed.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "base.h"
#include "carriers.h"
#include "scheduler.h"
#include "kernel.h"

#define POOL_MAX 1024u

static struct vtb_fiber *pool[POOL_MAX];
static uint32_t pool_size, pool_used VTB_RUN;
static struct vtb_fiber *giving_back VTB_RUN; /* its kernel thread gets the stack after the next switch */
static int tid_offset = -1;                   /* of the kernel's thread id in glibc's thread descriptor */

/* glibc keeps the id, which the kernel clears when the thread is gone, near the start of the descriptor, on a multiple
 * of eight and with zeros behind it. The zeros matter: an id of 32767 is also the upper half of every pointer to a
 * stack. */
static void find_tid_offset(void)
{
	const char *descriptor = (const char *)vtb_fiber_fs();
	const int tid = (int)sys3(SYS_gettid, 0, 0, 0);

	for (int offset = 0x40; offset < 0x900; offset += 8)
		if (*(const uint64_t *)(descriptor + offset) == (uint64_t)tid) {
			tid_offset = offset;
			return;
		}
}

static void give_back(void)
{
	struct vtb_fiber *f = giving_back;
	const uint32_t *tid;
	uint32_t id;

	if (VTB_LIKELY(!f))
		return;
	giving_back = NULL;
	tid = (const uint32_t *)(f->fs + (uint64_t)tid_offset);
	id = __atomic_load_n(tid, __ATOMIC_ACQUIRE);
	__atomic_store_n(&f->resume, 1, __ATOMIC_RELEASE);
	sys_futex_wake(&f->resume, 1);
	/* a detached thread's descriptor stays mapped in glibc's cache, so it can be read to the end */
	while (tid_offset >= 0 && id && __atomic_load_n(tid, __ATOMIC_ACQUIRE) == id)
		sys_futex_wait(tid, id);
}

static struct vtb_fiber *fiber_of(struct vtb_rt_thread *t)
{
	static struct vtb_fiber main_fiber VTB_HISTORY;

	if (!t->carriers.fiber) { /* main: the carrier's own stack */
		main_fiber.thread = t;
		main_fiber.fs = vtb_fiber_fs();
		t->carriers.fiber = &main_fiber;
	}
	return t->carriers.fiber;
}

/* A pad is not a call: the program may count on its vector registers. */
__attribute__((noinline)) static void switch_from_pad(struct vtb_fiber *f, struct vtb_fiber *g)
{
	void *room = __builtin_alloca_with_align(vtb_vectors_bytes, 64 * 8);

	vtb_vectors_keep(room);
	vtb_fiber_switch(&f->rsp, g->rsp, g->fs);
	vtb_vectors_take_back(room);
}

static void switch_to(struct vtb_rt_thread *from, struct vtb_rt_thread *to)
{
	struct vtb_fiber *f = fiber_of(from), *g = fiber_of(to);

	if (VTB_UNLIKELY(vtb_sched.masks && from->kernel.sigmask != to->kernel.sigmask)) {
		const uint64_t mask = to->kernel.sigmask & ~VTB_SIGNALS_OWN;

		sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
	}
	if (VTB_UNLIKELY(from->base.in_vectors))
		switch_from_pad(f, g);
	else
		vtb_fiber_switch(&f->rsp, g->rsp, g->fs);
	give_back();
}

/* On a kernel thread of its own at first; after park() on the carrier; after leave() on its own again. */
static void *begin(void *arg)
{
	struct vtb_fiber *f = arg;
	sigset_t all;

	sigfillset(&all);
	all.__val[0] &=
	    ~(1ul << 32 | 1ul << (SIGSYS - 1)); /* SIGSETXID of glibc: 33; calls that trap (syscalls_seccomp.c) */
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, 8, 0, 0);
	if (f->thread)
		vtb_rt_thread_here(f->thread);
	else
		vtb_rt_stack_bounds(&f->stack_lo, &f->stack_hi);
	if (f->pooled)
		vtb_self = vtb_rt_thread_prepared(f->number + 1); /* who will mostly run here */
	vtb_fiber_park(f);
	give_back();
	if (f->pooled)
		vtb_rt_is_self(f->thread);
	return vtb_carrier_body(f->thread);
}

static int start_kernel_thread(struct vtb_fiber *f, const pthread_attr_t *attr)
{
	char *stack = vtb_shared_pages(VTB_FIBER_PARK_STACK);
	int r;

	if (!stack)
		return EAGAIN;
	f->park_top = stack + VTB_FIBER_PARK_STACK - 64;
	r = vtb_real.pthread_create(&f->handle, attr, begin, f);
	if (r)
		return r;
	while (!__atomic_load_n(&f->parked, __ATOMIC_ACQUIRE))
		sys_futex_wait(&f->parked, 0);
	return 0;
}

uint32_t vtb_fibers_pool(uint32_t n)
{
	find_tid_offset();
	vtb_rt_threads_prepare(n + 1);
	while (pool_size < n && pool_size < POOL_MAX) {
		struct vtb_fiber *f = vtb_rt_alloc(sizeof(*f));

		f->pooled = true;
		f->number = pool_size;
		if (start_kernel_thread(f, NULL))
			break;
		pool[pool_size++] = f;
	}
	return pool_size;
}

pthread_t vtb_fibers_handle(uint32_t i)
{
	return pool[i]->handle;
}

bool vtb_fibers_stack_has(uint64_t addr)
{
	for (uint32_t i = 0; i < pool_size; i++)
		if (addr - pool[i]->stack_lo < pool[i]->stack_hi - pool[i]->stack_lo)
			return true;
	return false;
}

#define FRAME_ROOM 16384u /* a few calls and the frame of a signal */

void vtb_fibers_open_stacks(void)
{
	for (uint32_t i = 0; i < pool_size; i++)
		vtb_engine_written((const char *)pool[i]->rsp - FRAME_ROOM, FRAME_ROOM);
}

/* A pooled stack has the default size: enough unless more is asked for. */
static bool fits_pool(const pthread_attr_t *attr)
{
	pthread_attr_t standard;
	size_t size = 0, have = 0;
	void *base = NULL;

	if (!attr)
		return true;
	if (pthread_getattr_default_np(&standard) || VTB_CALL_REAL(pthread_attr_getstacksize)(&standard, &have) ||
	    VTB_CALL_REAL(pthread_attr_getstacksize)(attr, &size))
		return false;
	return size <= have &&
	       (VTB_CALL_REAL(pthread_attr_getstack)(attr, &base, &size) || !base || (uint64_t)base + size == 0);
}

static int create(struct vtb_rt_thread *child, pthread_t *handle, const pthread_attr_t *attr)
{
	struct vtb_fiber *f;
	int r;

	if (pool_size) {
		if (pool_used == pool_size)
			vtb_sched.slot->outcome.flags |= VTB_OUT_MORE_THREADS;
		if (vtb_engine->cannot_undo && (pool_used == pool_size || !fits_pool(attr)))
			vtb_engine->cannot_undo(pool_used == pool_size ? "it has more threads than were prepared"
			                                               : "a thread asks for a stack of its own");
	}
	if (pool_used < pool_size && fits_pool(attr)) {
		f = pool[pool_used++];
		f->thread = child;
		child->carriers.fiber = f;
		*handle = f->handle;
		vtb_rt_takes_handle(child, f->handle);
		child->base.stack_lo = f->stack_lo;
		child->base.stack_hi = f->stack_hi;
		return 0;
	}
	if (tid_offset < 0)
		find_tid_offset();
	f = vtb_rt_alloc(sizeof(*f));
	if (!f)
		return EAGAIN;
	f->thread = child;
	child->carriers.fiber = f;
	r = start_kernel_thread(f, attr);
	*handle = f->handle;
	return r;
}

static void leave(struct vtb_rt_thread *from, struct vtb_rt_thread *to)
{
	struct vtb_fiber *f = fiber_of(from);

	if (!to) /* the last one: glibc would end the process when the last kernel thread ends, but those of the others
	            are here */
		vtb_real.exit(0);
	if (!f->pooled && from->base.slot)
		giving_back = f;
	switch_to(from, to);
	/* here: the kernel thread of `from`, or never */
}

static long kernel_id(const struct vtb_rt_thread *t)
{
	if (!t->base.slot || tid_offset < 0)
		return sys3(SYS_getpid, 0, 0, 0);
	return *(const int *)(t->carriers.fiber->fs + (uint64_t)tid_offset);
}

static int join(struct vtb_rt_thread *ended, void **ret_result)
{
	if (!ended->carriers.fiber->pooled)
		return vtb_real.pthread_join(ended->base.handle, ret_result);
	if (ret_result)
		*ret_result = ended->base.result;
	return 0;
}

static int detach(struct vtb_rt_thread *t)
{
	return t->carriers.fiber->pooled ? 0 : vtb_real.pthread_detach(t->base.handle);
}

const struct vtb_carrier vtb_carrier_fibers = {
	"fibers", create, switch_to, leave, join, detach, kernel_id, vtb_fiber_about_to_fork, &vtb_carrier_threads
};
