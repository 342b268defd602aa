/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file seen.h
 * A set of 64-bit fingerprints, each with a small number: a map that is bounded.
 */
#ifndef VTB_SEEN_H
#define VTB_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

struct vtb_seen {
	struct vtb_map64 map;
	size_t limit;      /* entries; 0: VTB_SEEN_LIMIT. When full, new keys are reported as new and not kept */
	uint64_t not_kept;
};
#define VTB_SEEN_LIMIT (3u << 23)

void vtb_seen_fini(struct vtb_seen *s);
/** The value of `key`; *ret NULL if it is not there. Added with `value` if it is new and there is room. 0 or -ENOMEM. */
int vtb_seen_add(struct vtb_seen *s, uint64_t key, uint64_t value, uint64_t **ret);
/** Is it there? */
bool vtb_seen_has(const struct vtb_seen *s, uint64_t key);

#endif /* VTB_SEEN_H */
