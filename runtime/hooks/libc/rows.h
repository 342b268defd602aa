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

static inline void looks(const void *addr, size_t size, uint64_t pc)
{
	if (size)
		vtb_rt_range(VTB_E_READ, addr, size, pc);
}

static inline void changes(const void *addr, size_t size, uint64_t pc)
{
	if (addr && size)
		vtb_rt_range(VTB_E_WRITE, addr, size, pc);
}

/* What a call leaves where it is told to. Nobody else looks at what lies on the stack of who calls. */
static inline void hands(const void *addr, size_t size, uint64_t pc)
{
	if (!vtb_rt_own_stack(vtb_self, (uint64_t)addr))
		changes(addr, size, pc);
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

/* ---- what a call computes of what it has read, and where it writes it
 *
 * The call is made as soon as all is read: others may come before what it has computed is written. So that is kept, and
 * what was there before is put back until the write's turn has come.
 */

#define COMPUTED_PLACES 3u /* a call writes to */
#define COMPUTED_BYTES \
	64u /* in each; what is larger is computed where it is written: such an access may be torn anyhow */

struct computed {
	struct {
		void *at;
		size_t size;
		char bytes[COMPUTED_BYTES];
	} place[COMPUTED_PLACES];
	unsigned n;
};

static inline void computed_into(struct computed *s, void *at, size_t size, uint64_t pc)
{
	if (!at || !size)
		return;
	if (size > COMPUTED_BYTES || s->n == COMPUTED_PLACES) {
		changes(at, size, pc); /* others may have come to those before */
		for (unsigned i = 0; i < s->n; i++)
			__builtin_memcpy(s->place[i].bytes, s->place[i].at, s->place[i].size);
		return;
	}
	s->place[s->n].at = at;
	s->place[s->n].size = size;
	__builtin_memcpy(s->place[s->n].bytes, at, size);
	s->n++;
}

static inline void computed_swap(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char kept = a[i];

		a[i] = b[i];
		b[i] = kept;
	}
}

static inline void computed_end(struct computed *s, uint64_t pc)
{
	const int saved = errno;

	for (unsigned i = s->n; i--;)
		computed_swap(s->place[i].at, s->place[i].bytes, s->place[i].size);
	for (unsigned i = 0; i < s->n; i++) {
		changes(s->place[i].at, s->place[i].size, pc);
		computed_swap(s->place[i].at, s->place[i].bytes, s->place[i].size);
	}
	errno = saved;
}

/* `reads` tells what is read, `writes` names in computed_into(&computed, ...) what is written. The call has no schedule
 * point in it. */
#define COMPUTES(ret, name, params, args, reads, writes) \
	VTB_EXPORT ret name params;                      \
	COMPUTES_BODY(ret, name, params, args, BEHIND(ret, call, params, name), reads, writes)
#define COMPUTES_AS(symbol, ret, name, params, args, reads, writes) \
	VTB_EXPORT ret name params __asm__(#symbol);                \
	COMPUTES_BODY(ret, name, params, args, BEHIND(ret, call, params, symbol), reads, writes)
#define COMPUTES_BODY(ret, name, params, args, behind, reads, writes) \
	VTB_EXPORT ret name params                                    \
	{                                                             \
		const uint64_t pc = VTB_CALLER;                       \
		struct computed computed;                             \
		ret result;                                           \
		behind                                                \
                                                                      \
		    if (!vtb_rt_is_hooked(pc)) return call args;      \
		reads;                                                \
		computed.n = 0;                                       \
		writes;                                               \
		result = call args;                                   \
		computed_end(&computed, pc);                          \
		return result;                                        \
	}
#define COMPUTES_VOID(name, params, args, reads, writes) \
	VTB_EXPORT void name params;                     \
	VTB_EXPORT void name params                      \
	{                                                \
		const uint64_t pc = VTB_CALLER;          \
		struct computed computed;                \
		BEHIND(void, call, params, name)         \
                                                         \
		if (!vtb_rt_is_hooked(pc)) {             \
			call args;                       \
			return;                          \
		}                                        \
		reads;                                   \
		computed.n = 0;                          \
		writes;                                  \
		call args;                               \
		computed_end(&computed, pc);             \
	}
#define INTO(at, size) computed_into(&computed, at, size, pc)

#endif /* VTB_RT_LIBC_ROWS_H */
