/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fibers of the program's own. It says so before it changes stacks:
 *
 *     __tsan_switch_to_fiber(next) ── swapcontext() ── the functions that return now are next's
 *
 * Operations are those of the thread that carries a fiber, so that their order is seen without our help; a fiber
 * that moves to another
 * thread is handed over by something that the program synchronises. What belongs to the fiber is its shadow stack.
 */
#include "base.h"

struct vtb_tsan_fiber {
	struct vtb_rt_frame *frames;
	uint32_t frames_room, depth, n_shown;
	struct vtb_tsan_fiber *next; /* of those given back */
	struct vtb_rt_frame few[VTB_RT_FRAMES_FEW];
};

static struct vtb_tsan_fiber *unused VTB_RUN;
static struct vtb_tsan_fiber outside; /* of a thread that is not ours to follow */
static uint32_t taken VTB_RUN;

static void lock(void)
{
	while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

static struct vtb_tsan_fiber *new_fiber(void)
{
	struct vtb_tsan_fiber *f;

	lock();
	f = unused;
	if (f)
		unused = f->next;
	unlock();
	if (f)
		return f;
	f = vtb_rt_alloc(sizeof(*f));
	if (!f)
		return NULL;
	f->frames = f->few;
	f->frames_room = VTB_RT_FRAMES_FEW;
	return f;
}

VTB_EXPORT void *__tsan_create_fiber(unsigned flags);
VTB_EXPORT void *__tsan_create_fiber(unsigned flags __attribute__((unused)))
{
	struct vtb_tsan_fiber *f = vtb_self ? new_fiber() : NULL;

	return f ? f : &outside;
}

VTB_EXPORT void *__tsan_get_current_fiber(void);
VTB_EXPORT void *__tsan_get_current_fiber(void)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t)
		return &outside;
	if (!t->hooks.own_fiber)
		t->hooks.own_fiber = new_fiber();
	return t->hooks.own_fiber ? t->hooks.own_fiber : &outside;
}

VTB_EXPORT void __tsan_destroy_fiber(void *fiber);
VTB_EXPORT void __tsan_destroy_fiber(void *fiber)
{
	struct vtb_tsan_fiber *f = fiber;

	if (!f || f == &outside)
		return;
	f->depth = f->n_shown = 0;
	lock();
	f->next = unused;
	unused = f;
	unlock();
}

static void put_away(struct vtb_tsan_fiber *f, const struct vtb_rt_thread *t)
{
	f->frames = t->base.frames;
	f->frames_room = t->base.frames_room;
	f->depth = t->base.depth;
	f->n_shown = t->base.n_shown;
}

static void take_out(const struct vtb_tsan_fiber *f, struct vtb_rt_thread *t)
{
	t->base.depth = t->base.n_shown = 0; /* first: others read the frames up to it while the thread records */
	__atomic_store_n(&t->base.frames, f->frames, __ATOMIC_RELEASE);
	__atomic_store_n(&t->base.frames_room, f->frames_room, __ATOMIC_RELEASE);
	t->base.depth = f->depth;
	t->base.n_shown = f->n_shown;
}

VTB_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
VTB_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags __attribute__((unused)))
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_tsan_fiber *from = __tsan_get_current_fiber(), *to = fiber;

	if (!t || !to || from == to || from == &outside || to == &outside)
		return;
	put_away(from, t);
	take_out(to, t);
	t->hooks.own_fiber = to;
}

VTB_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
VTB_EXPORT void __tsan_set_fiber_name(void *fiber __attribute__((unused)), const char *name __attribute__((unused)))
{
}
