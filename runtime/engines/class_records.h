/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of a run in the slot's stream (vtb/wire.h), as far as its class goes. */
#ifndef VTB_RT_CLASS_RECORDS_H
#define VTB_RT_CLASS_RECORDS_H

#include <stddef.h>

#include "vtb/wire.h"

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
