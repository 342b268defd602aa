/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvtb-cxx.so (cxx/) does what libstdc++.so does, with hooks. What a reader wants to see is the place in the program
 * that called it, not one in a library that no user has the source of; so its accesses are told as made there, as those
 * of memcpy are (instr_string.c). Its functions come here when they begin and end. A function that an exception or
 * longjmp left without its end is noticed by the stack pointer: stacks grow down.
 */
#include <errno.h>
#include <stdlib.h>

#include "base.h"
#include "instr.h"
#include "library.h"
#include "models.h"

VTB_EXPORT void vtb_library_enter(uint64_t caller, uint64_t sp)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t)
		return;
	if (!t->base.library_depth || sp > t->hooks.library_sp) {
		t->base.library_depth = 0;
		t->base.library_pc = caller;
		t->hooks.library_sp = sp;
	}
	t->base.library_depth++;
}

VTB_EXPORT void vtb_library_leave(void)
{
	struct vtb_rt_thread *t = vtb_self;

	if (t && t->base.library_depth)
		t->base.library_depth--;
}

/* ---- libvtb-omp.so (omp/) calls functions of the program's, which call it again */

VTB_EXPORT void vtb_library_lend(struct vtb_library_place *was)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t)
		return;
	*was = (struct vtb_library_place){ t->base.library_pc, t->hooks.library_sp, t->base.library_depth };
	t->base.library_depth = 0;
}

VTB_EXPORT void vtb_library_back(const struct vtb_library_place *was)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t)
		return;
	t->base.library_pc = was->pc;
	t->hooks.library_sp = was->sp;
	t->base.library_depth = was->depth;
}

VTB_EXPORT uint64_t vtb_library_caller(void)
{
	return vtb_self && vtb_self->base.library_depth ? vtb_self->base.library_pc : 0;
}

VTB_EXPORT void vtb_library_for(uint64_t pc)
{
	if (vtb_self && pc)
		vtb_self->base.library_pc = pc;
}

VTB_EXPORT void vtb_library_here(void)
{
	if (vtb_rt_enter())
		vtb_self->base.outer_pc = vtb_library_caller();
}

/* To the compiler the heap touches nothing of ours. */
static void be_inside(struct vtb_rt_thread *t, uint32_t more)
{
	if (t)
		*(volatile uint32_t *)&t->base.inside += more;
	__asm__ volatile("" ::: "memory");
}

VTB_EXPORT void *vtb_library_alloc(uint64_t size)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	void *block;

	be_inside(t, 1);
	block = calloc(1, size);
	be_inside(t, -1u);
	if (t && vtb_rt_controls())
		vtb_ctl_asks_memory(t);
	return block;
}

VTB_EXPORT void vtb_library_free(void *block)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	be_inside(t, 1);
	free(block);
	be_inside(t, -1u);
}

VTB_EXPORT void vtb_library_reads(const void *at, uint64_t size)
{
	vtb_rt_range(VTB_E_READ, at, size, vtb_library_caller());
}

VTB_EXPORT void vtb_library_writes(void *at, uint64_t size)
{
	vtb_rt_range(VTB_E_WRITE, at, size, vtb_library_caller());
}

/* ---- locks of one word */

#define WAITED 0x80000000u /* of a lock that runs free: somebody may sleep */

static bool take(uint32_t *word, uint32_t mine)
{
	uint32_t seen = 0;

	return __atomic_compare_exchange_n(word, &seen, mine, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void take_freely(uint32_t *word, uint32_t mine)
{
	uint32_t seen;

	if (take(word, mine))
		return;
	while (!take(word, mine | WAITED)) {
		seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
		if (seen && (seen & WAITED || __atomic_compare_exchange_n(word, &seen, seen | WAITED, false,
		                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)))
			sys_futex_wait(word, seen | WAITED);
	}
}

static void give_freely(uint32_t *word)
{
	if (__atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) & WAITED)
		sys_futex_wake(word, 1);
}

/* Who calls, for the event. */
static struct vtb_rt_thread *comes(void)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t)
		t->base.pc = vtb_library_caller();
	return t;
}

static uint32_t mark_of(const struct vtb_rt_thread *t)
{
	return t ? t->base.slot + 1 : ~WAITED;
}

VTB_EXPORT void vtb_library_lock(uint32_t *word)
{
	struct vtb_rt_thread *t = comes();

	if (t && vtb_rt_controls()) {
		vtb_ctl_word_lock(word);
		return;
	}
	take_freely(word, mark_of(t));
	if (t)
		vtb_rec_sync(t, VTB_E_LOCK, word, 0, 0, 0, 0);
}

VTB_EXPORT bool vtb_library_trylock(uint32_t *word)
{
	struct vtb_rt_thread *t = comes();
	bool taken;

	if (t && vtb_rt_controls())
		return vtb_ctl_word_trylock(word);
	taken = take(word, mark_of(t));
	if (t)
		vtb_rec_sync(t, VTB_E_TRYLOCK, word, 0, taken ? 0 : EBUSY, 0, 0);
	return taken;
}

VTB_EXPORT void vtb_library_unlock(uint32_t *word)
{
	struct vtb_rt_thread *t = comes();

	if (t && vtb_rt_controls()) {
		vtb_ctl_word_unlock(word);
		return;
	}
	if (t)
		vtb_rec_sync(t, VTB_E_UNLOCK, word, 0, 0, 0, 0);
	give_freely(word);
}

static void tell(unsigned kind, uint32_t *word)
{
	struct vtb_rt_thread *t = comes();

	if (t && vtb_rt_controls())
		vtb_ctl_word_told(kind, word);
	else if (t)
		vtb_rec_sync(t, kind, word, 0, 0, 0, 0);
}

VTB_EXPORT void vtb_library_lock_made(uint32_t *word)
{
	tell(VTB_E_MUTEX_INIT, word);
}

VTB_EXPORT void vtb_library_lock_ends(uint32_t *word)
{
	tell(VTB_E_MUTEX_DESTROY, word);
}

/* ---- atomic operations */

VTB_EXPORT uint64_t vtb_library_add(uint64_t *at, uint64_t n)
{
	uint64_t was;

	vtb_rt_atomic_begin_of(VTB_E_ATOMIC_RMW, at, sizeof(*at), __ATOMIC_SEQ_CST, vtb_library_caller());
	was = __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST);
	vtb_rt_atomic_end_of(sizeof(*at), false, __ATOMIC_SEQ_CST);
	return was;
}

VTB_EXPORT uint64_t vtb_library_load(const uint64_t *at)
{
	uint64_t value;

	vtb_rt_atomic_begin_of(VTB_E_ATOMIC_LOAD, at, sizeof(*at), __ATOMIC_SEQ_CST, vtb_library_caller());
	value = __atomic_load_n(at, __ATOMIC_SEQ_CST);
	vtb_rt_atomic_end_of(sizeof(*at), false, __ATOMIC_SEQ_CST);
	return value;
}

VTB_EXPORT void vtb_library_store(uint64_t *at, uint64_t value)
{
	vtb_rt_atomic_begin_of(VTB_E_ATOMIC_STORE, at, sizeof(*at), __ATOMIC_SEQ_CST, vtb_library_caller());
	__atomic_store_n(at, value, __ATOMIC_SEQ_CST);
	vtb_rt_atomic_end_of(sizeof(*at), false, __ATOMIC_SEQ_CST);
}

VTB_EXPORT bool vtb_library_swap(uint64_t *at, uint64_t expected, uint64_t value)
{
	bool done;

	vtb_rt_atomic_begin_of(VTB_E_ATOMIC_RMW, at, sizeof(*at), __ATOMIC_SEQ_CST, vtb_library_caller());
	done = __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	vtb_rt_atomic_end_of(sizeof(*at), !done, __ATOMIC_SEQ_CST);
	return done;
}
