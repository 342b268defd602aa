/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file instr.h
 * What a hook does, whoever has called it: the functions that -fsanitize=thread calls (instr.c, instr_atomic.c) or a pad (pads.c).
 */
#ifndef VTB_RT_INSTR_H
#define VTB_RT_INSTR_H

#include <stdbool.h>
#include <stdint.h>

/** A plain access of 2^size_log2 bytes (0..4) is about to be made by the instruction before `pc`. */
void vtb_rt_access(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc);
/** One of any size. */
void vtb_rt_range(unsigned kind, const void *addr, uint64_t size, uint64_t pc);
/** Order: __ATOMIC_*. */
void vtb_rt_fence(int order, uint64_t pc);

/** An atomic operation that the caller carries out between these two. A signal handler in between may do the same: it is not seen. */
void vtb_rt_atomic_begin(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc);
void vtb_rt_atomic_end(bool cas_failed);

#endif /* VTB_RT_INSTR_H */
