/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file instr.h
 * What a hook does, whoever has called it: the functions that -fsanitize=thread calls (instr.c, instr_atomic.c) or a
 * pad (pads.c).
 */
#ifndef VTB_RT_INSTR_H
#define VTB_RT_INSTR_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/** Is `pc`, which calls a function of libc's that we stand before, in code of the program, or of a library that works
 * for it, with accesses hooked? A module that libc loads for itself does not. */
static inline bool vtb_rt_is_hooked(uint64_t pc)
{
	const struct vtb_rt_thread *t = vtb_self;

	return VTB_UNLIKELY(t != NULL) && !t->base.inside && t->kernel.step != VTB_STEP_ANY &&
	       vtb_rt.mode != VTB_MODE_OFF && (vtb_rt.options & VTB_OPT_ACCESSES) &&
	       (vtb_rt.hooks & (VTB_HOOK_TSAN | VTB_HOOK_PADS)) &&
	       pc - (uint64_t)__ehdr_start >= (uint64_t)(etext - __ehdr_start) && !vtb_rt_is_unwinder(pc);
}

/** A plain access of 2^size_log2 bytes (0..4) is about to be made by the instruction before `pc`. */
void vtb_rt_access(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc);
/** Likewise, by thread t, which has entered: one that is not for the fast way. */
void vtb_rt_access_slowly(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2, uint64_t pc);
/** One of any size. */
void vtb_rt_range(unsigned kind, const void *addr, uint64_t size, uint64_t pc);
/** Order: __ATOMIC_*. */
void vtb_rt_fence(int order, uint64_t pc);

/** Of an atomic operation as machine code does it: an atomic store of seq_cst is an exchange, so one that is a plain
 * move is weaker. */
static inline int vtb_rt_machine_order(unsigned kind)
{
	return kind == VTB_E_ATOMIC_STORE ? __ATOMIC_RELEASE : __ATOMIC_SEQ_CST;
}

/** An atomic operation that the caller carries out between these two. A signal handler in between may do the same: it
 * is not seen. */
void vtb_rt_atomic_begin(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc);
void vtb_rt_atomic_end(bool cas_failed);
/** Likewise of a library, of `size` bytes, however many: told with the first of them, 16 at most. Orders: __ATOMIC_*.
 */
void vtb_rt_atomic_begin_of(unsigned kind, const volatile void *addr, uint64_t size, int order, uint64_t pc);
void vtb_rt_atomic_end_of(uint64_t size, bool cas_failed, int failure_order);

#endif /* VTB_RT_INSTR_H */
