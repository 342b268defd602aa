/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file map64.h
 * A hash map from 64-bit keys to 64-bit values; open addressing, linear probing, at most 2/3 full, nothing is deleted
 * one by one.
 * Ownership: owns its cells; {0} is an empty map.
 * Limits:    key 0 is stored like any other.
 */
#ifndef VTB_MAP64_H
#define VTB_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vtb_map64_cell {
	uint64_t key, value; /* value is stored + 1: 0 marks a free cell */
};

struct vtb_map64 {
	struct vtb_map64_cell *cells;
	size_t n, mask; /* mask + 1 cells, a power of two; 0 cells if `cells` is NULL */
};

void vtb_map64_fini(struct vtb_map64 *map);
/** Drop all entries, keep the memory. O(cells). */
void vtb_map64_clear(struct vtb_map64 *map);
/** Set key to value (< 2^64 - 1). 0 or -ENOMEM. */
int vtb_map64_set(struct vtb_map64 *map, uint64_t key, uint64_t value);

/** Fibonacci hashing: the upper half of the product is well mixed. */
static inline size_t vtb_map64_place(uint64_t key)
{
	const uint64_t x = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;

	return (size_t)(x >> 20);
}

/** The value of `key` in *ret, or false. */
static inline bool vtb_map64_get(const struct vtb_map64 *map, uint64_t key, uint64_t *ret)
{
	if (!map->cells)
		return false;
	for (size_t i = vtb_map64_place(key) & map->mask; map->cells[i].value; i = (i + 1) & map->mask) {
		if (map->cells[i].key == key) {
			*ret = map->cells[i].value - 1;
			return true;
		}
	}
	return false;
}

#endif /* VTB_MAP64_H */
