/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file tables.h
 * Variables of large blocks by their offset, for aligned accesses of one size each: a loop over an array reads its
 * names in order, four bytes for each element. What is not in them is looked up elsewhere.
 *
 * Ownership: owns its arrays; {0} has none.
 * Limits:    TABLES_BYTES in all; what does not fit into that, or into memory, gets no table.
 */
#ifndef VTB_DECODE_TABLES_H
#define VTB_DECODE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

#define TABLES_BYTES (1ull << 28)
#define TABLE_LEAST 4096u /* bytes of a block that is large */

struct table {
	uint32_t *vars; /* id + 1, or 0: not known */
	uint64_t n;
};

struct tables {
	struct table *items;
	size_t n_items, cap_items;
	struct vtb_map64 known; /* object and size of access -> index in items */
	uint64_t bytes;
};

void tables_fini(struct tables *t);
/** The table of an object of `bytes` bytes for accesses of 1 << size_log2 <= 16 bytes, with room for all of it; NULL:
 * it has none. Valid until the next call. */
const struct table *tables_of(struct tables *t, uint32_t object, unsigned size_log2, uint64_t bytes);

#endif /* VTB_DECODE_TABLES_H */
