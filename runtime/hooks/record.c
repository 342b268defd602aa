/* SPDX-License-Identifier: BSD-2-Clause */
/* Record mode: the program runs freely; synchronisation is stamped, so that the stamps never contradict what happened. */
#include <errno.h>
#include <string.h>

#include "real.h"
#include "rt.h"

/* A lock that was taken, a lock given back: by far the most, and in controlled runs they have no value either. */
static bool says_nothing(unsigned kind, unsigned result, uint64_t value)
{
	return (kind == VTB_E_LOCK || kind == VTB_E_UNLOCK) && !result && !value;
}

void vtb_rec_sync(struct vtb_rt_thread *t, unsigned kind, const void *obj, uint64_t stamp, unsigned result, uint64_t value, uint64_t arg)
{
	struct vtb_rec rec = {
		.addr = (uint64_t)obj & 0xffffffffffffull,
		.pc = t->pc,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)(VTB_REC_STAMP | (says_nothing(kind, result, value) ? 0 : VTB_REC_VALUE) | (arg ? VTB_REC_ARG : 0)),
		.result = (uint8_t)(result > 255 ? 255 : result),
		.value = value,
		.arg = arg,
		.stamp = stamp,
	};
	const int saved = errno;

	t->inside++;
	vtb_rt_put(t, &rec);
	t->inside--;
	errno = saved;
}

/* A thread's birth, with where its stack pointer was at which instruction, and its fs base: who recomputes addresses from control flow alone
 * has nothing else to begin with. */
__attribute__((noinline)) static void born(struct vtb_rt_thread *t)
{
	const uint64_t fs = (uint64_t)pthread_self();
	uint64_t ip, sp;
	struct vtb_rec rec = {.pc = t->pc, .kind = VTB_E_THREAD_BEGIN, .flags = VTB_REC_STAMP | VTB_REC_VALUE | VTB_REC_ARG, .n_pcs = 1, .pcs = &fs};

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1" : "=r"(ip), "=r"(sp)); /* ip: of the mov */
	rec.addr = t->parent == VTB_NO_PATH ? 0 : t->slot;
	rec.value = sp;
	rec.arg = ip;
	t->inside++;
	vtb_rt_put(t, &rec);
	t->inside--;
}

void vtb_rec_begin(void)
{
	struct vtb_rt_thread *t = vtb_rt_thread_new(NULL);

	if (!t)
		return;
	vtb_rt_stream_open(t);
	vtb_rt_thread_here(t);
	vtb_rt_tell_early_blocks(t);
	t->start = (void *(*)(void *))(void *)vtb_rt.main;
	t->pc = (uint64_t)vtb_rt.main + 1;
	born(t);
}

static void thread_ends(void *arg)
{
	struct vtb_rt_thread *t = arg;

	vtb_rt_run_destructors();
	if (vtb_self != t) /* in a forked child, which records nothing */
		return;
	t->pc = (uint64_t)t->start + 1;
	vtb_rec_sync(t, VTB_E_THREAD_END, (void *)(uintptr_t)t->slot, 0, 0, 0, 0);
	t->inside++; /* what glibc does from here on is not the program's */
	t->state = VTB_T_ENDED;
	vtb_rt_count_accesses(t);
	if (t->entry)
		t->entry->state = 2;
}

static void *thread_begins(void *arg)
{
	struct vtb_rt_thread *t = arg;
	void *result;

	vtb_rt_stream_open(t);
	vtb_rt_thread_here(t);
	t->pc = (uint64_t)t->start + 1; /* as if called from there */
	born(t);
	pthread_cleanup_push(thread_ends, t); /* outermost: return, pthread_exit and cancellation all come through it */
	result = t->start(t->arg);
	pthread_cleanup_pop(1);
	return result;
}

int vtb_rec_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct vtb_rt_thread *t = vtb_self, *child = vtb_rt_thread_new(t);
	const uint64_t stamp = vtb_rt_stamp();
	int r;

	if (!child)
		return vtb_real.pthread_create(handle, attr, start, arg);
	child->start = start;
	child->arg = arg;
	t->inside++;
	r = vtb_real.pthread_create(handle, attr, thread_begins, child);
	t->inside--;
	if (r == 0) {
		child->handle = *handle; /* it may not have come so far itself */
		vtb_rec_sync(t, VTB_E_THREAD_CREATE, (void *)(uintptr_t)child->slot, stamp, 0, child->nth, (uint64_t)start);
	} else {
		child->state = VTB_T_ENDED;
	}
	return r;
}
