/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file hidden.h
 * Functions that keep something from call to call which other threads use, one row each: an operation on a counter that
 * stands for what is kept.
 */
#ifndef VTB_RT_LIBC_HIDDEN_H
#define VTB_RT_LIBC_HIDDEN_H

#include <stdint.h>

#include "base.h"
#include "instr.h"

/** The counter that stands for the locale (calls/locale.c). */
int *vtb_rt_locale(void);

/** A library may go (loading.c). */
void vtb_rt_alters_libraries(uint64_t pc);
/** Who looks for something sees which libraries there are. */
void vtb_rt_asks_libraries(uint64_t pc);

/* A change, under a lock of libc's or by an atomic operation. */
static inline void alters(int *counter, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	vtb_rt_atomic_begin(VTB_E_ATOMIC_RMW, counter, 2, pc);
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
	vtb_rt_atomic_end(false);
}

static inline void asks(const int *counter, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	vtb_rt_atomic_begin(VTB_E_ATOMIC_LOAD, counter, 2, pc);
	vtb_rt_atomic_end(false);
}

static inline void races(int *counter, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	vtb_rt_access(VTB_E_WRITE, counter, 2, pc);
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

#define HIDDEN(ret, name, params, args, what)                            \
	VTB_EXPORT ret name params;                                      \
	VTB_EXPORT ret name params                                       \
	{                                                                \
		static void *real;                                       \
                                                                         \
		what;                                                    \
		return ((ret(*) params)vtb_real_kept(&real, #name))args; \
	}
#define HIDDEN_VOID(name, params, args, what)                       \
	VTB_EXPORT void name params;                                \
	VTB_EXPORT void name params                                 \
	{                                                           \
		static void *real;                                  \
                                                                    \
		what;                                               \
		((void(*) params)vtb_real_kept(&real, #name)) args; \
	}
#endif /* VTB_RT_LIBC_HIDDEN_H */
