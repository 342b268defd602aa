/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file rows.h
 * Functions of libc that work on memory of the program's choosing, one row each: what a call reads and writes is told
 * as accesses at the place that calls.
 */
#ifndef VTB_RT_LIBC_ROWS_H
#define VTB_RT_LIBC_ROWS_H

#include <errno.h>
#include <string.h>

#include "base.h"
#include "instr.h"
#include "own_names.h"

/* What a hook could tell is told as a hook tells it: that is cheaper. */
static inline void tell(unsigned kind, const void *addr, size_t size, uint64_t pc)
{
	if (size <= 16 && !(size & (size - 1)) && !((uint64_t)addr & (size - 1)))
		vtb_rt_access(kind, addr, (unsigned)__builtin_ctzl(size), pc);
	else
		vtb_rt_range(kind, addr, size, pc);
}

static inline void looks(const void *addr, size_t size, uint64_t pc)
{
	if (size)
		tell(VTB_E_READ, addr, size, pc);
}

static inline void changes(const void *addr, size_t size, uint64_t pc)
{
	if (addr && size)
		tell(VTB_E_WRITE, addr, size, pc);
}

static inline void looks_text(const char *text, uint64_t pc)
{
	looks(text, vtb_real.strlen(text) + 1, pc);
}

static inline void looks_start(const char *text, size_t most, uint64_t pc)
{
	const size_t n = vtb_real.strnlen(text, most);

	looks(text, n < most ? n + 1 : n, pc);
}

/* In a function: theirs, as the variable `call`. */
#define BEHIND(ret, call, params, name) VTB_BEHIND(ret, call, params, #name);

#define ROW(ret, name, params, args, told)      \
	VTB_EXPORT ret name params;             \
	VTB_EXPORT ret name params              \
	{                                       \
		const uint64_t pc = VTB_CALLER; \
		BEHIND(ret, call, params, name) \
                                                \
		if (vtb_rt_is_hooked(pc)) {     \
			told;                   \
		}                               \
		return call args;               \
	}

/* Of names that headers redirect to others: a name of ours in C, theirs in the library. */
#define ROW_AS(symbol, ret, name, params, args, told) \
	VTB_EXPORT ret name params __asm__(#symbol);  \
	VTB_EXPORT ret name params                    \
	{                                             \
		const uint64_t pc = VTB_CALLER;       \
		BEHIND(ret, call, params, symbol)     \
                                                      \
		if (vtb_rt_is_hooked(pc)) {           \
			told;                         \
		}                                     \
		return call args;                     \
	}

/* A call with schedule points in it, that of the system call or of a wait: others go on before memory is touched. It is
 * told before and after, so that what they do to it comes before one or after the other in some order that is tried.
 * `done`: is it told again? Of `result`. */
#define AROUND(ret, name, params, args, done, told) \
	VTB_EXPORT ret name params;                 \
	VTB_EXPORT ret name params                  \
	{                                           \
		const uint64_t pc = VTB_CALLER;     \
		ret result;                         \
		BEHIND(ret, call, params, name)     \
                                                    \
		if (!vtb_rt_is_hooked(pc))          \
			return call args;           \
		told;                               \
		result = call args;                 \
		if (done) {                         \
			const int saved = errno;    \
                                                    \
			told;                       \
			errno = saved;              \
		}                                   \
		return result;                      \
	}

#endif /* VTB_RT_LIBC_ROWS_H */
