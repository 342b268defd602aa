/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h: 64-bit keys to 32-bit numbers. Open addressing with linear probing, at most half full; emptied in O(1) by a
 * generation number, because a search empties its tables for every schedule.
 */
#ifndef VTB_HBGRAPH_MAP_H
#define VTB_HBGRAPH_MAP_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t generation; /* in use if it is the map's */
};

/* `= {0}` is an empty map. */
struct map {
	struct map_slot *slots;
	uint32_t bits;       /* 2^bits slots, if there are any */
	uint32_t n;          /* keys stored */
	uint32_t generation; /* from 1 as soon as there are slots */
};

static inline uint64_t map_place(const struct map *m, uint64_t key)
{
	/* Fibonacci hashing: the upper bits of the product are the well mixed ones */
	return (key ^ key >> 32) * 0x9e3779b97f4a7c15u >> (64 - m->bits);
}

static inline void map_fini(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

static inline void map_clear(struct map *m)
{
	m->n = 0;
	if (m->slots && ++m->generation == 0) { /* wrapped: stale slots would look alive */
		for (uint64_t i = 0; i < UINT64_C(1) << m->bits; i++)
			m->slots[i].generation = 0;
		m->generation = 1;
	}
}

/* The slot that holds `key`, or the free one where it belongs. There must be slots. */
static inline struct map_slot *map_probe(const struct map *m, uint64_t key)
{
	const uint64_t mask = (UINT64_C(1) << m->bits) - 1;
	uint64_t i = map_place(m, key);

	while (m->slots[i].generation == m->generation && m->slots[i].key != key)
		i = (i + 1) & mask;
	return &m->slots[i];
}

/* NULL if the key is not there. */
static inline uint32_t *map_get(const struct map *m, uint64_t key)
{
	struct map_slot *slot;

	if (!m->slots)
		return NULL;
	slot = map_probe(m, key);
	return slot->generation == m->generation ? &slot->value : NULL;
}

static inline int map_grow(struct map *m)
{
	struct map bigger = { .bits = m->slots ? m->bits + 1 : 6, .generation = 1, .n = m->n };

	bigger.slots = calloc(UINT64_C(1) << bigger.bits, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (uint64_t i = 0; m->slots && i < UINT64_C(1) << m->bits; i++) {
		if (m->slots[i].generation != m->generation)
			continue;
		struct map_slot *slot = map_probe(&bigger, m->slots[i].key);

		*slot = m->slots[i];
		slot->generation = 1;
	}
	free(m->slots);
	*m = bigger;
	return 0;
}

/* The value of `key`, which is put in with `fresh` if it is new. NULL if out of memory. */
static inline uint32_t *map_put(struct map *m, uint64_t key, uint32_t fresh)
{
	struct map_slot *slot;

	if ((!m->slots || m->n >= UINT32_C(1) << (m->bits - 1)) && map_grow(m) < 0)
		return NULL;
	slot = map_probe(m, key);
	if (slot->generation != m->generation) {
		*slot = (struct map_slot){ .key = key, .value = fresh, .generation = m->generation };
		m->n++;
	}
	return &slot->value;
}

#endif /* VTB_HBGRAPH_MAP_H */
