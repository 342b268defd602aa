/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file computed.h
 * Calls that write what they make of what they have read. Others may come before each thing that is read or written:
 *
 *     reads a ── reads b ── the call ── writes x ── writes y
 *
 * So what has been read is kept, and lies where it lay while the call is made; what it has written is kept, too, and
 * what was there before is put back until the write's turn has come. Nothing of that is done where nobody can come in
 * between: by a thread that is alone, and where threads run freely.
 *
 * What is kept lies on the stack of who calls. What is too large for that is read when the call is made, or written by
 * it: with it as one access.
 */
#ifndef VTB_RT_COMPUTED_H
#define VTB_RT_COMPUTED_H

#include <alloca.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows.h"

#define COMPUTED_READS 8u  /* of a call that are kept, */
#define COMPUTED_PLACES 8u /* and that it writes to */

struct computed_part {
	char *at;
	size_t size, wrote; /* how many bytes of it are the call's to write, */
	bool some;          /* and of these only what is other than before */
	char *bytes;        /* NULL: too large */
};

struct computed {
	uint64_t pc;
	bool keeps;   /* others may come in between */
	int32_t step; /* of what is allocated and freed in the call nothing is an operation */
	unsigned n_reads, n;
	struct computed_part read[COMPUTED_READS], place[COMPUTED_PLACES];
};

/** May other threads go on at an operation of this one? O(threads). */
bool vtb_rt_others_come(void);
/** All of `size` if so much may lie on the stack of who calls, else 0. */
size_t vtb_rt_fits_on_stack(size_t size);

static inline void computed_start(struct computed *c, uint64_t pc)
{
	c->pc = pc;
	c->keeps = vtb_rt_others_come();
	c->n_reads = c->n = 0;
}

/* What has just been read is to be that for the call. `bytes`: room, of so many. */
static inline void computed_keep(struct computed *c, const void *at, size_t size, char *bytes)
{
	if (!at || !size || c->n_reads == COMPUTED_READS)
		return;
	__builtin_memcpy(bytes, at, size);
	c->read[c->n_reads++] = (struct computed_part){ .at = (char *)(uintptr_t)at, .size = size, .bytes = bytes };
}

/* What the call may write to: told before it is made if nothing is kept, else after it. */
static inline void computed_into(struct computed *c, const void *at, size_t size, bool some)
{
	if (at && size && c->n < COMPUTED_PLACES)
		c->place[c->n++] =
		    (struct computed_part){ .at = (char *)(uintptr_t)at, .size = size, .wrote = size, .some = some };
}

/* How much of the place number `i` the call has written. */
static inline void computed_wrote(struct computed *c, unsigned i, size_t size)
{
	if (i < c->n && size < c->place[i].wrote)
		c->place[i].wrote = size;
}

/* Of a text that is looked at no further than `most` bytes. */
static inline size_t computed_start_size(const char *text, size_t most)
{
	const size_t n = vtb_real.strnlen(text, most);

	return n < most ? n + 1 : n;
}

/** What was read and what lies there change places, where others have changed it. */
void vtb_computed_exchange(struct computed *c);
/** All places are named: how much room on the stack they get. */
size_t vtb_computed_room(const struct computed *c);
/** The call is about to be made, with so much room, or was. errno stays. */
void vtb_computed_before(struct computed *c, char *room, size_t bytes);
void vtb_computed_after(struct computed *c);
/** In between: it has written no more than what is other than before. */
void vtb_computed_failed(struct computed *c);

/* ---- rows: in `reads` stands what is read, in `writes` what is written, in `wrote` how much of that, by `result`. The
 * call has no schedule point in it. */

/* The last thing that is read need not be kept: looks(). */
#define SEES(from, bytes)                \
	do {                             \
		looks(from, bytes, pc);  \
		KEEPS_READ(from, bytes); \
	} while (0)
#define KEEPS_READ(from, bytes)                                                       \
	do {                                                                          \
		const size_t fits = computed.keeps ? vtb_rt_fits_on_stack(bytes) : 0; \
                                                                                      \
		computed_keep(&computed, from, fits, fits ? alloca(fits) : NULL);     \
	} while (0)
#define SEES_TEXT(text) SEES(text, vtb_real.strlen(text) + 1)
#define SEES_START(text, most) SEES(text, computed_start_size(text, most))
#define INTO(at, size) computed_into(&computed, at, size, false)
/* Only parts of it, which the call does not name. */
#define INTO_SOME(at, size) computed_into(&computed, at, size, true)
#define WROTE(i, size) computed_wrote(&computed, i, size)
#define WROTE_IF(succeeded) ((succeeded) ? (void)0 : vtb_computed_failed(&computed))

#define COMPUTES(ret, name, params, args, reads, writes) COMPUTES_WROTE(ret, name, params, args, reads, writes, (void)0)
#define COMPUTES_WROTE(ret, name, params, args, reads, writes, wrote) \
	VTB_EXPORT ret name params;                                   \
	COMPUTES_BODY(ret, name, params, args, BEHIND(ret, call, params, name), reads, writes, wrote)
#define COMPUTES_AS(symbol, ret, name, params, args, reads, writes, wrote) \
	VTB_EXPORT ret name params __asm__(#symbol);                       \
	COMPUTES_BODY(ret, name, params, args, BEHIND(ret, call, params, symbol), reads, writes, wrote)
#define COMPUTES_BODY(ret, name, params, args, behind, reads, writes, wrote) \
	VTB_EXPORT ret name params                                           \
	{                                                                    \
		const uint64_t pc = VTB_CALLER;                              \
		struct computed computed;                                    \
		ret result;                                                  \
		behind                                                       \
                                                                             \
		    if (!vtb_rt_is_hooked(pc)) return call args;             \
		computed_start(&computed, pc);                               \
		reads;                                                       \
		COMPUTED_CALL(writes, result = call args, wrote);            \
		return result;                                               \
	}
#define COMPUTES_VOID(name, params, args, reads, writes)   \
	VTB_EXPORT void name params;                       \
	VTB_EXPORT void name params                        \
	{                                                  \
		const uint64_t pc = VTB_CALLER;            \
		struct computed computed;                  \
		BEHIND(void, call, params, name)           \
                                                           \
		if (!vtb_rt_is_hooked(pc)) {               \
			call args;                         \
			return;                            \
		}                                          \
		computed_start(&computed, pc);             \
		reads;                                     \
		COMPUTED_CALL(writes, call args, (void)0); \
	}
/* Where libc keeps a result is known from the first; `learned` by a call before that leaves nothing elsewhere. */
#define COMPUTES_KEPT(ret, name, params, args, size, learned, reads, writes)          \
	VTB_EXPORT ret name params;                                                   \
	VTB_EXPORT ret name params                                                    \
	{                                                                             \
		const uint64_t pc = VTB_CALLER;                                       \
		static ret kept;                                                      \
		struct computed computed;                                             \
		ret result;                                                           \
		BEHIND(ret, call, params, name)                                       \
                                                                                      \
		if (!vtb_rt_is_hooked(pc))                                            \
			return call args;                                             \
		computed_start(&computed, pc);                                        \
		reads;                                                                \
		if (!kept)                                                            \
			kept = learned;                                               \
		COMPUTED_CALL(INTO(kept, size); writes, result = call args, (void)0); \
		return result;                                                        \
	}
/* `computed` is started, and what is read is told. */
#define COMPUTED_CALL(writes, call, wrote)                                           \
	do {                                                                         \
		size_t stack;                                                        \
                                                                                     \
		vtb_computed_exchange(&computed);                                    \
		writes;                                                              \
		stack = vtb_computed_room(&computed);                                \
		vtb_computed_before(&computed, stack ? alloca(stack) : NULL, stack); \
		call;                                                                \
		wrote;                                                               \
		vtb_computed_after(&computed);                                       \
	} while (0)

/* ---- calls with a schedule point in them, that of the system call, which leave an answer
 *
 * The kernel writes it to room of ours, and what has come is written when its turn has come. In `reads` stands what is
 * read before, in `outs` which parameters point to room for answers, in `ok` whether there are any. */

bool vtb_answer_is_memory(const void *at, size_t size);
void *vtb_answer_into(struct computed *c, void *at, size_t size, char *bytes);
void vtb_answer_end(struct computed *c);

#define OUT(param, bytes)                                                                             \
	do {                                                                                          \
		const size_t fits = computed.keeps ? vtb_rt_fits_on_stack(bytes) : 0;                 \
                                                                                                      \
		if (vtb_answer_is_memory(param, bytes))                                               \
			param = vtb_answer_into(&computed, param, bytes, fits ? alloca(fits) : NULL); \
	} while (0)
/* Room whose size stands in the program's memory, and what it is afterwards: the first of the places. */
#define OUT_SIZED(param, size)                                    \
	do {                                                      \
		if (!vtb_answer_is_memory(size, sizeof(*(size)))) \
			break;                                    \
		looks(size, sizeof(*(size)), pc);                 \
		OUT(param, *(size));                              \
		OUT(size, sizeof(*(size)));                       \
	} while (0)
#define WROTE_SIZED(size) (computed.n == 2 ? WROTE(0, *(size)) : (void)0)
/* What the call reads is what it was when it was read. What is no memory is for the kernel to refuse. */
#define IN(param, bytes)                                                              \
	do {                                                                          \
		const size_t fits = computed.keeps ? vtb_rt_fits_on_stack(bytes) : 0; \
                                                                                      \
		if (!vtb_answer_is_memory(param, bytes))                              \
			break;                                                        \
		looks(param, bytes, pc);                                              \
		param = fits ? memcpy(alloca(fits), param, fits) : param;             \
	} while (0)
/* A text that the call reads is what it was when it was read. */
#define IN_TEXT(param)                                                                        \
	do {                                                                                  \
		size_t fits;                                                                  \
                                                                                              \
		if (!vtb_answer_is_memory(param, 1))                                          \
			break;                                                                \
		looks_text(param, pc);                                                        \
		fits = computed.keeps ? vtb_rt_fits_on_stack(vtb_real.strlen(param) + 1) : 0; \
		param = fits ? memcpy(alloca(fits), param, fits) : param;                     \
	} while (0)
#define ANSWERS(ret, name, params, args, reads, outs, ok, wrote) \
	ANSWERS_AFTER((void)0, ret, name, params, args, reads, outs, ok, wrote)
/* Likewise, and whoever calls, `first` is done. */
#define ANSWERS_AFTER(first, ret, name, params, args, reads, outs, ok, wrote) \
	VTB_EXPORT ret name params;                                           \
	VTB_EXPORT ret name params                                            \
	{                                                                     \
		const uint64_t pc = VTB_CALLER;                               \
		struct computed computed;                                     \
		ret result;                                                   \
		BEHIND(ret, call, params, name)                               \
		first;                                                        \
                                                                              \
		if (!vtb_rt_is_hooked(pc))                                    \
			return call args;                                     \
		computed_start(&computed, pc);                                \
		reads;                                                        \
		outs;                                                         \
		result = call args;                                           \
		if (ok) {                                                     \
			wrote;                                                \
			vtb_answer_end(&computed);                            \
		}                                                             \
		return result;                                                \
	}

#endif /* VTB_RT_COMPUTED_H */
