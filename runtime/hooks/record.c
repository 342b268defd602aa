/* SPDX-License-Identifier: BSD-2-Clause */
/* Record mode: the program runs freely; synchronisation is stamped, so that the stamps never contradict what happened.
 */
#include <errno.h>
#include <string.h>

#include "base.h"

/* A lock that was taken, a lock given back: by far the most, and in controlled runs they have no value either. */
static bool says_nothing(unsigned kind, unsigned result, uint64_t value)
{
	return (kind == VTB_E_LOCK || kind == VTB_E_UNLOCK) && !result && !value;
}

void vtb_rec_sync(struct vtb_rt_thread *t, unsigned kind, const void *obj, uint64_t stamp, unsigned result,
                  uint64_t value, uint64_t arg)
{
	struct vtb_rec rec = {
		.addr = (uint64_t)obj & 0xffffffffffffull,
		.pc = t->base.pc,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)(VTB_REC_STAMP | (says_nothing(kind, result, value) ? 0 : VTB_REC_VALUE) |
		                   (arg ? VTB_REC_ARG : 0)),
		.result = (uint8_t)(result > 255 ? 255 : result),
		.value = value,
		.arg = arg,
		.stamp = stamp,
	};
	const int saved = errno;

	t->base.inside++;
	vtb_rt_put(t, &rec);
	t->base.inside--;
	errno = saved;
}

/* A thread's birth, with where its stack pointer was at which instruction, and its fs base: who recomputes addresses
 * from control flow alone has nothing else to begin with. */
__attribute__((noinline)) static void born(struct vtb_rt_thread *t)
{
	const uint64_t fs = (uint64_t)pthread_self();
	uint64_t ip, sp;
	struct vtb_rec rec = { .pc = t->base.pc,
		               .kind = VTB_E_THREAD_BEGIN,
		               .flags = VTB_REC_STAMP | VTB_REC_VALUE | VTB_REC_ARG,
		               .n_pcs = 1,
		               .pcs = &fs };

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1" : "=r"(ip), "=r"(sp)); /* ip: of the mov */
	rec.addr = t->base.parent == VTB_NO_PATH ? 0 : t->base.slot;
	rec.value = sp;
	rec.arg = ip;
	t->base.inside++;
	vtb_rt_put(t, &rec);
	t->base.inside--;
}

void vtb_rec_begin(void)
{
	struct vtb_rt_thread *t = vtb_rt_thread_new(NULL);

	if (!t)
		return;
	vtb_rt_stream_open(t);
	vtb_rt_thread_here(t);
	vtb_rt_clear(t, 0); /* the heap and the program's own data */
	vtb_rt_tell_early_blocks(t);
	t->base.start = (void *(*)(void *))(void *)vtb_rt.main;
	t->base.pc = (uint64_t)vtb_rt.main + 1;
	born(t);
}

static void thread_ends(void *arg)
{
	struct vtb_rt_thread *t = arg;

	vtb_rt_run_destructors();
	if (vtb_self != t) /* in a forked child, which records nothing */
		return;
	t->base.pc = (uint64_t)t->base.start + 1;
	vtb_rec_sync(t, VTB_E_THREAD_END, (void *)(uintptr_t)t->base.slot, 0, 0, 0, 0);
	t->base.inside++; /* what glibc does from here on is not the program's */
	t->base.state = VTB_T_ENDED;
	vtb_rt_count_accesses(t);
	if (t->base.entry)
		t->base.entry->state = 2;
}

static void *thread_begins(void *arg)
{
	struct vtb_rt_thread *t = arg;
	void *result;

	vtb_rt_stream_open(t);
	vtb_rt_thread_here(t);
	vtb_rt_clear(t, 0);                       /* the heap and the program's own data */
	t->base.pc = (uint64_t)t->base.start + 1; /* as if called from there */
	born(t);
	pthread_cleanup_push(thread_ends, t); /* outermost: return, pthread_exit and cancellation all come through it */
	result = t->base.start(t->base.arg);
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
	child->base.start = start;
	child->base.arg = arg;
	t->base.inside++;
	r = vtb_real.pthread_create(handle, attr, thread_begins, child);
	t->base.inside--;
	if (r == 0) {
		child->base.handle = *handle; /* it may not have come so far itself */
		vtb_rec_sync(t, VTB_E_THREAD_CREATE, (void *)(uintptr_t)child->base.slot, stamp, 0, child->base.nth,
		             (uint64_t)start);
	} else {
		child->base.state = VTB_T_ENDED;
	}
	return r;
}
