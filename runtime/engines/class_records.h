/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of a run in the slot's stream (vtb/wire.h), as far as its class goes. */
#ifndef VTB_RT_CLASS_RECORDS_H
#define VTB_RT_CLASS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/events.h"
#include "vtb/wire.h"

/* ---- kinds of operations */

/* What an operation touches: so many bytes at its address as it says, or one, and nothing else; or what touch() says.
 * A lock is an object, and lies in memory: whoever touches the object touches its first byte, which stands for both. */
enum { BYTES_OTHERWISE, BYTES_SIZED, BYTES_ONE };

struct kind {
	uint8_t family;
	uint8_t touches; /* VTB_EV_READS | VTB_EV_WRITES */
	uint8_t bytes;   /* BYTES_* */
	bool visible;
	bool skipped; /* a fact of which nothing is in the class */
};

#define TOUCHES(flags) ((flags) & (VTB_EV_READS | VTB_EV_WRITES))
#define IN_MEMORY(family) ((family) == VTB_FAMILY_MEMORY || (family) == VTB_FAMILY_ATOMIC)
#define IS_OBJECT(family) ((family) >= VTB_FAMILY_MUTEX && (family) <= VTB_FAMILY_FUTEX)
#define HAS_MUTEX(number) ((number) == VTB_E_COND_WAIT || (number) == VTB_E_COND_WAKE)
#define IS_LOOKED_AT(number) \
	((number) == VTB_E_SWITCH || (number) == VTB_E_DEVIATE || (number) == VTB_E_OWNED || (number) == VTB_E_LOST)

#define VTB_EVENT_ROW(flags_of, family_of, number_of)                                       \
	{                                                                                   \
		.family = (family_of), .touches = (uint8_t)TOUCHES(flags_of),               \
		.bytes = !TOUCHES(flags_of)                              ? BYTES_OTHERWISE  \
		         : IN_MEMORY(family_of)                          ? BYTES_SIZED      \
		         : IS_OBJECT(family_of) && !HAS_MUTEX(number_of) ? BYTES_ONE        \
		                                                         : BYTES_OTHERWISE, \
		.visible = ((flags_of)&VTB_EV_VISIBLE) != 0,                                \
		.skipped = !((flags_of)&VTB_EV_VISIBLE) && !IS_LOOKED_AT(number_of)         \
	}
static const struct kind kinds[256] = {
#define VTB_EVENT(symbol, number, name, family, flags, text) \
	[number] = VTB_EVENT_ROW(flags, VTB_FAMILY_##family, number),
#include "vtb/events.def"
#undef VTB_EVENT
};

/* ---- records */

struct record {
	uint64_t addr, value, arg, size;
	unsigned kind;
};

/* Words used; 0: it makes no sense. */
static inline size_t read_long(const uint64_t *w, size_t n, struct record *ret)
{
	const unsigned flags = (unsigned)(w[0] & 15), value = flags & VTB_REC_VALUE ? 1 : 0,
	               size_log2 = n > 1 ? (unsigned)(w[1] >> 8 & 15) : 0;
	const size_t extra = w[0] >> 4 & 15;

	if (n < 2 + extra || extra < value + (flags & VTB_REC_ARG ? 1u : 0u))
		return 0;
	ret->kind = (unsigned)(w[0] >> 8 & 255);
	ret->addr = w[0] >> 16;
	ret->value = value ? w[2] : 0;
	ret->arg = flags & VTB_REC_ARG ? w[2 + value] : 0;
	ret->size = size_log2 == VTB_REC_SIZE_IN_ARG ? ret->arg : 1ull << size_log2;
	return 2 + extra;
}

static inline size_t read_short(const struct vtb_wire_site *sites, uint64_t n_sites, const uint64_t *w, size_t n,
                                struct record *ret)
{
	const uint64_t i = w[0] & (VTB_REC_SHORT_SITES - 1);
	unsigned access;

	if (n < 2 || i >= n_sites)
		return 0;
	access = sites[i].access;
	if ((access & ~8u) > 4)
		return 0;
	ret->kind = access >> 3 ? VTB_E_WRITE : VTB_E_READ;
	ret->addr = w[0] >> 16;
	ret->size = 1ull << (access & 7);
	return 2;
}

#endif /* VTB_RT_CLASS_RECORDS_H */
