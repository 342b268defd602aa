/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fast.h
 * The way of an access at which nothing happens but that it is recorded; everybody who hooks accesses (instr.c, pads)
 * goes through vtb_fast_access() first.
 *
 * Shape:   a *stretch* of accesses of one thread that need no decision. The countdown is the place of the next record:
 * records of accesses have equal sizes, so that "so many accesses to the next decision" and "so much room" are one
 * comparison.
 *
 *            from ........ next ........ limit
 *            not counted   here          decide
 *
 *          control  two words each, as from sites with short records (near.c): the value is stored, too. Whoever stores
 * more or less moves `from` and `limit` along. vtb_stretch_begin() (runtime/sched/stretches/stretch.c) says how far
 * nothing can happen: no deviation, constraint or end of the run's budget, and the policy would choose the thread
 * again. record one word each; up to the end of the mapped window. Rules:   whoever reads or changes what accesses
 * change (operations done, points, the stream) ends the stretch first. What is seen from outside is the same with and
 * without: same schedule, same records.
 */
#ifndef VTB_RT_FAST_H
#define VTB_RT_FAST_H

#include "rt.h"

#define VTB_FAST_WORDS_CONTROL 2u
#define VTB_FAST_WORDS_RECORD 1u
#define VTB_LONG_WORDS 3u /* most that an access takes */

/* ---- spinning, see fair.c */

#define VTB_SEEN 256u
#define VTB_REREADS 1000u   /* of unchanged values, while nobody wrote */
#define VTB_AGAIN_REST 1024 /* readings for which a thread is left alone that computes */

#define VTB_SEEN_FACTOR 0x9e3779b97f4a7c15ull

/** That a thread has read `value` at addr, in one word: two of them in one place of the table are as good as never
 * equal by chance. */
static inline uint64_t vtb_seen_key(const struct vtb_rt_thread *t, uint64_t addr, uint64_t value)
{
	return addr * VTB_SEEN_FACTOR + value + t->base.seen_run;
}

static inline uint64_t *vtb_seen_at(const struct vtb_rt_thread *t, uint64_t addr)
{
	return t->base.seen + (addr * VTB_SEEN_FACTOR >> 56);
}

/** Has it been read before? Remembers it. Two words that a loop looks at may have the same place: who has to leave it
 * is kept VTB_SEEN further on. */
static inline bool vtb_seen_before(uint64_t *seen, uint64_t key)
{
	const uint64_t first = *seen, second = seen[VTB_SEEN];

	if (first == key)
		return true;
	seen[VTB_SEEN] = first;
	*seen = key;
	return second == key;
}

/* ---- memory that was freed, see prim_heap.c */

#define VTB_HEAP_GRAIN 16u
#define VTB_HEAP_SPAN (256ull << 20) /* of address space, from lo */

struct vtb_heap {
	uint64_t lo, size;                                /* size is 0 while no block is dead, else VTB_HEAP_SPAN */
	uint8_t dead[VTB_HEAP_SPAN / VTB_HEAP_GRAIN / 8]; /* a bit for each grain */
	uint8_t starts[VTB_HEAP_SPAN / VTB_HEAP_GRAIN /
	               8]; /* likewise: a block that was handed out in this run begins here */
};
extern struct vtb_heap vtb_heap;

static inline bool vtb_heap_is_dead(uint64_t addr)
{
	const uint64_t i = (addr - vtb_heap.lo) / VTB_HEAP_GRAIN;

	return VTB_UNLIKELY(addr - vtb_heap.lo < vtb_heap.size) && (vtb_heap.dead[i / 8] >> i % 8 & 1);
}

/* ---- memory that may not be there */

/* A fault at 1 goes on at 2: the fault handler looks into this section (peek.c). */
#define VTB_MAY_FAULT(load)                \
	"1:	" load "\n2:\n"            \
	".pushsection vtb_fixups, \"a\"\n" \
	".long 1b - .\n"                   \
	".long 2b - .\n"                   \
	".popsection\n"

/** The (at most 8) bytes at addr, 0 if they cannot be read. */
static inline uint64_t vtb_rt_load(uint64_t addr, unsigned size_log2)
{
	uint64_t v = 0;

	switch (size_log2) {
	case 0:
		__asm__ volatile(VTB_MAY_FAULT("movzbl (%1), %k0") : "+r"(v) : "r"(addr));
		break;
	case 1:
		__asm__ volatile(VTB_MAY_FAULT("movzwl (%1), %k0") : "+r"(v) : "r"(addr));
		break;
	case 2:
		__asm__ volatile(VTB_MAY_FAULT("movl (%1), %k0") : "+r"(v) : "r"(addr));
		break;
	default:
		__asm__ volatile(VTB_MAY_FAULT("movq (%1), %0") : "+r"(v) : "r"(addr));
		break;
	}
	return v;
}

/** Likewise into *ret; false if they cannot be read. */
static inline bool vtb_rt_load_if(uint64_t addr, unsigned size_log2, uint64_t *ret)
{
	uint32_t there = 0;
	uint64_t v = 0;

	switch (size_log2) {
	case 0:
		__asm__ volatile(VTB_MAY_FAULT("movzbl (%2), %k0\n	movl $1, %1")
		                 : "+r"(v), "+r"(there)
		                 : "r"(addr));
		break;
	case 1:
		__asm__ volatile(VTB_MAY_FAULT("movzwl (%2), %k0\n	movl $1, %1")
		                 : "+r"(v), "+r"(there)
		                 : "r"(addr));
		break;
	case 2:
		__asm__ volatile(VTB_MAY_FAULT("movl (%2), %k0\n	movl $1, %1")
		                 : "+r"(v), "+r"(there)
		                 : "r"(addr));
		break;
	default:
		__asm__ volatile(VTB_MAY_FAULT("movq (%2), %0\n	movl $1, %1") : "+r"(v), "+r"(there) : "r"(addr));
		break;
	}
	*ret = v;
	return there;
}

/* ---- the access */

/** Flags of base.written_log2: it went to the thread's own stack, where a function that has ended leaves its memory to
 * whoever is called next; that has happened, so its value is not known. */
#define VTB_WRITTEN_OWN 8u
#define VTB_WRITTEN_GONE 16u

/** base.written_log2 of a write by t. */
static inline uint32_t vtb_written_log2(const struct vtb_rt_thread *t, uint64_t addr, unsigned size_log2)
{
	const uint64_t top = t->base.body ? t->base.body : vtb_rt_stack_top(t);

	return VTB_UNLIKELY(addr - t->base.stack_lo < top - t->base.stack_lo) ? size_log2 | VTB_WRITTEN_OWN : size_log2;
}

/** vtb_note_written() of a write to the own stack (frames.c). */
void vtb_note_own_written(struct vtb_rt_thread *t);

/** The value of the write that base.written_word is for stays unknown (frames.c). */
void vtb_note_not_written(struct vtb_rt_thread *t);

/** What the last plain write has written is known once the thread is back here. */
static inline void vtb_note_written(struct vtb_rt_thread *t)
{
	uint64_t *word = t->base.written_word;

	if (!word)
		return;
	if (VTB_UNLIKELY(t->base.written_log2 >= VTB_WRITTEN_OWN)) {
		vtb_note_own_written(t);
		return;
	}
	t->base.written_word = NULL;
	if (VTB_LIKELY(t->base.written_log2 == 2))
		*word = vtb_rt_load(t->base.written_addr, 2);
	else if (t->base.written_log2 >= 3)
		*word = vtb_rt_load(t->base.written_addr, 3);
	else
		*word =
		    t->base.written_log2 ? vtb_rt_load(t->base.written_addr, 1) : vtb_rt_load(t->base.written_addr, 0);
}

/* One more reading of what is known counts towards spinning, and may be the second round of a loop: that is not for the
 * fast way, so that when a thread is held back does not depend on how far the stretch goes. */
static inline bool vtb_fast_note_read(struct vtb_rt_thread *t, uint64_t addr, uint64_t value)
{
	if (VTB_LIKELY(!vtb_seen_before(vtb_seen_at(t, addr), vtb_seen_key(t, addr, value))))
		return true;
	if (VTB_UNLIKELY(t->base.spins >= VTB_REREADS || t->base.again >= 0))
		return false;
	t->base.again++;
	t->base.spins++;
	t->base.own_spins++;
	return true;
}

#define VTB_ALWAYS_INLINE inline __attribute__((always_inline))

static VTB_ALWAYS_INLINE bool vtb_fast_control(struct vtb_rt_thread *t, unsigned kind, uint64_t addr,
                                               unsigned size_log2, uint64_t pc, bool any_stack)
{
	uint64_t *w = t->base.stream.next, value;

	if (vtb_heap_is_dead(addr))
		return false;
	vtb_note_written(t);
	value = vtb_rt_load(addr, size_log2);
	if (kind == VTB_E_WRITE) {
		t->base.written_word = w + 2;
		t->base.written_addr = addr;
		t->base.written_log2 = any_stack ? vtb_written_log2(t, addr, size_log2) : size_log2;
		t->base.spins = 0;
		t->base.wrote = 1;
	} else if (!vtb_fast_note_read(t, addr, value)) {
		return false;
	}
	w[0] = vtb_rec_word0(addr, kind, 1, VTB_REC_VALUE);
	w[1] = vtb_rec_word1(pc, 0, size_log2, 0);
	w[2] = value;
	t->base.stream.next = w + 3;
	t->base.stream.from += 3 - VTB_FAST_WORDS_CONTROL;
	t->base.stream.limit += 3 - VTB_FAST_WORDS_CONTROL;
	return true;
}

static VTB_ALWAYS_INLINE bool vtb_fast_record(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2,
                                              uint64_t pc)
{
	uint64_t *w = t->base.stream.next;

	w[0] = vtb_rec_word0(addr, kind, 0, 0);
	w[1] = vtb_rec_word1(pc, 0, size_log2, 0);
	t->base.stream.next = w + 2;
	t->base.stream.from += 2 - VTB_FAST_WORDS_RECORD;
	t->base.stream.header->used = (uint64_t)(w + 2) + t->base.stream.used_bias;
	return true;
}

/** Between the stacks, and not known to be on none of them? */
static VTB_ALWAYS_INLINE bool vtb_fast_may_be_stack(const struct vtb_rt_thread *t, uint64_t addr)
{
	return VTB_UNLIKELY(vtb_rt_some_stack(addr)) && addr - t->base.stream.clear_lo >= t->base.stream.clear_size;
}

/** An access of 2^size_log2 bytes by the calling thread `t`, which is about to make it. False: it is not for the fast
 * way, nothing has been done. `any_stack`: also where the memory is on a stack, whose frame must have been told
 * (vtb_rt_stack_access()). */
static VTB_ALWAYS_INLINE bool vtb_fast_access(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2,
                                              uint64_t pc, bool any_stack)
{
	if (VTB_UNLIKELY(t->base.stream.next >= t->base.stream.limit || t->base.inside ||
	                 (!any_stack && vtb_fast_may_be_stack(t, addr))))
		return false;
	return vtb_rt_controls() ? vtb_fast_control(t, kind, addr, size_log2, pc, any_stack)
	                         : vtb_fast_record(t, kind, addr, size_log2, pc);
}

#endif /* VTB_RT_FAST_H */
