/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file bounded_map.h
 * A map from 64-bit fingerprints to numbers that takes no more memory than it may: when full it keeps what it has.
 */
#ifndef VTB_BOUNDED_MAP_H
#define VTB_BOUNDED_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

struct vtb_bounded_map {
	struct vtb_map64 map;
	size_t limit; /* entries; 0: VTB_BOUNDED_MAP_LIMIT. When full, new keys are reported as new and not kept */
	uint64_t not_kept;
};
#define VTB_BOUNDED_MAP_LIMIT (3u << 23)

void vtb_bounded_map_fini(struct vtb_bounded_map *s);
/** The value of `key`; *ret NULL if it is not there. Added with `value` if it is new and there is room. 0 or -ENOMEM.
 */
int vtb_bounded_map_add(struct vtb_bounded_map *s, uint64_t key, uint64_t value, uint64_t **ret);
/** Is it there? */
bool vtb_bounded_map_has(const struct vtb_bounded_map *s, uint64_t key);

#endif /* VTB_BOUNDED_MAP_H */
