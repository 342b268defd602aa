/* SPDX-License-Identifier: BSD-2-Clause */
/** @file guest.h How code is written that is a guest in another process: what stands for libc, what the linker is told.
 */
#ifndef VTB_RT_GUEST_H
#define VTB_RT_GUEST_H

#include <stddef.h>
#include <stdint.h>

/* libc's memcpy and memset may be interposed by ourselves (instr_string.c): the runtime uses these. An instruction for
 * strings takes 30 cycles to begin: of few bytes, of which the compiler knows how many, it makes moves. */
#define VTB_FEW_BYTES 64u
static inline void *vtb_rt_copy(void *to, const void *from, size_t size)
{
	void *r = to;

	if (__builtin_constant_p(size) && size <= VTB_FEW_BYTES)
		return __builtin_memcpy(to, from, size);
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return r;
}

static inline void *vtb_rt_fill(void *to, int byte, size_t size)
{
	void *r = to;

	if (__builtin_constant_p(size) && size <= VTB_FEW_BYTES)
		return __builtin_memset(to, byte, size);
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return r;
}
#define memcpy vtb_rt_copy
#define memset vtb_rt_fill

#define VTB_EXPORT __attribute__((visibility("default")))
/** A hook that the compiler calls before an access; no system call is made in it (vtb_rt_outer_caller()). */
#define VTB_ACCESS_HOOK VTB_EXPORT __attribute__((section("vtb_access_hooks")))
/** A function that leaves nothing of what it did in registers that do not outlive a call: at a pad they would look like
 * state (runtime/engines/match.c). */
#if defined(__has_attribute) && __has_attribute(zero_call_used_regs)
#define VTB_FORGETS __attribute__((zero_call_used_regs("all-gpr")))
#else
#define VTB_FORGETS
#endif
#define VTB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define VTB_LIKELY(x) __builtin_expect(!!(x), 1)
/** Where the program called us. */
#define VTB_CALLER ((uint64_t)__builtin_return_address(0))

/** Of static data: how a run came to where it is, which says nothing of where it goes on. Left out when states are
 * compared. RARE: most runs do not write it, or it is large. */
#define VTB_HISTORY __attribute__((section("vtb_history")))
#define VTB_HISTORY_RARE __attribute__((section("vtb_history_rare")))

/** For what every run writes: kept together, so that a process that is rolled back has few changed pages. LAST: behind
 * it, for that of which every run writes the front only. */
#define VTB_RUN __attribute__((section("vtb_run")))
#define VTB_RUN_LAST __attribute__((section("vtb_run_last")))

#endif /* VTB_RT_GUEST_H */
