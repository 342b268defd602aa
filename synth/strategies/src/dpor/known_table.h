/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes to numbers, for dpor_known.c. Zeroed and with generation 1 it is empty. */
#ifndef VTB_SYNTH_KNOWN_TABLE_H
#define VTB_SYNTH_KNOWN_TABLE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "vtb/rng.h"

/* Open addressing; an entry counts if its generation is the table's, so that one is emptied in no time. Keys are hashes, never 0. */
struct known_entry {
	uint64_t key, value;
	uint64_t generation;
};

struct known_table {
	struct known_entry *entries;
	size_t n, used;
	uint64_t generation;
};

static inline struct known_entry *known_find(const struct known_table *t, uint64_t key)
{
	for (size_t i = (size_t)vtb_mix64(key) & (t->n - 1);; i = (i + 1) & (t->n - 1))
		if (t->entries[i].generation != t->generation || t->entries[i].key == key)
			return &t->entries[i];
}

static inline uint64_t known_get(const struct known_table *t, uint64_t key)
{
	const struct known_entry *e = t->n ? known_find(t, key) : NULL;

	return e && e->generation == t->generation ? e->value : 0;
}

static inline int known_grow(struct known_table *t)
{
	const struct known_table old = *t;

	t->n = old.n ? 2 * old.n : 256;
	t->generation = 1;
	t->entries = calloc(t->n, sizeof(*t->entries));
	if (!t->entries) {
		*t = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.n; i++)
		if (old.entries[i].generation == old.generation)
			*known_find(t, old.entries[i].key) = (struct known_entry){ old.entries[i].key, old.entries[i].value, 1 };
	free(old.entries);
	return 0;
}

static inline int known_put(struct known_table *t, uint64_t key, uint64_t value)
{
	struct known_entry *e;

	if (2 * (t->used + 1) > t->n && known_grow(t) < 0)
		return -ENOMEM;
	e = known_find(t, key);
	t->used += e->generation != t->generation;
	*e = (struct known_entry){ key, value, t->generation };
	return 0;
}

static inline void known_clear(struct known_table *t)
{
	t->generation++;
	t->used = 0;
}

#endif /* VTB_SYNTH_KNOWN_TABLE_H */
