/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file map64.h
 * The hash map of all tools: 64-bit keys to 64-bit values. Open addressing, linear probing, at most 2/3 full, nothing
 * is deleted one by one. Ownership: owns its cells; {0} is an empty map. Limits:    none on keys and values; key 0 has
 * a cell of its own, as it marks the free ones.
 */
#ifndef VTB_MAP64_H
#define VTB_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vtb_map64_cell {
	uint64_t key, value; /* key 0: free */
};

struct vtb_map64 {
	struct vtb_map64_cell *cells;
	size_t n, mask; /* keys stored; mask + 1 cells, a power of two; 0 cells if `cells` is NULL */
	bool has_zero;  /* key 0 is stored: `zero` */
	uint64_t zero;
};

void vtb_map64_fini(struct vtb_map64 *map);
/** Drop all entries, keep as much memory as they needed. O(n). */
void vtb_map64_clear(struct vtb_map64 *map);
/** The value of `key`, which is put in with `fresh` if it is new; valid until the next put. NULL: -ENOMEM. */
uint64_t *vtb_map64_put(struct vtb_map64 *map, uint64_t key, uint64_t fresh);
/** Set key to value. 0 or -ENOMEM. */
int vtb_map64_set(struct vtb_map64 *map, uint64_t key, uint64_t value);

/** Fibonacci hashing: the upper half of the product is well mixed. */
static inline size_t vtb_map64_place(uint64_t key)
{
	const uint64_t x = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;

	return (size_t)(x >> 20);
}

/** The value of `key`, NULL if it is not there. */
static inline uint64_t *vtb_map64_at(const struct vtb_map64 *map, uint64_t key)
{
	if (!key)
		return map->has_zero ? (uint64_t *)&map->zero : NULL;
	if (!map->cells)
		return NULL;
	for (size_t i = vtb_map64_place(key) & map->mask; map->cells[i].key; i = (i + 1) & map->mask)
		if (map->cells[i].key == key)
			return &map->cells[i].value;
	return NULL;
}

/** The value of `key` in *ret, or false. */
static inline bool vtb_map64_get(const struct vtb_map64 *map, uint64_t key, uint64_t *ret)
{
	const uint64_t *at = vtb_map64_at(map, key);

	if (at)
		*ret = *at;
	return at;
}

#endif /* VTB_MAP64_H */
