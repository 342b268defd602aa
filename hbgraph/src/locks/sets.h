/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h: sets of numbers as numbers. Equal sets have equal ids, so a variable can keep "threads that read it" or
 * "locks held at every write" in four bytes, and a set operation that was done before costs one look-up ([ERASER97]
 * keeps locksets this way).
 */
#ifndef VTB_HBGRAPH_SETS_H
#define VTB_HBGRAPH_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

#define SETS_EMPTY 0u

struct sets {
	uint32_t *members; /* of all sets, one after the other, each ascending */
	size_t n_members, cap_members;
	size_t *starts; /* of set i: [starts[i], starts[i + 1]) */
	size_t n_starts, cap_starts;
	struct vtb_map64 by_content; /* hash of the members -> id; equal hashes step on */
	struct vtb_map64 done;       /* (operation, a, b) -> id */
};

/* Only the empty set, id 0. */
int sets_init(struct sets *s);
void sets_fini(struct sets *s);

const uint32_t *sets_members(const struct sets *s, uint32_t set, size_t *ret_n);
size_t sets_count(const struct sets *s, uint32_t set);
bool sets_has(const struct sets *s, uint32_t set, uint32_t member);

/* The id of the resulting set; -ENOMEM. */
int64_t sets_add(struct sets *s, uint32_t set, uint32_t member);
int64_t sets_remove(struct sets *s, uint32_t set, uint32_t member);
int64_t sets_meet(struct sets *s, uint32_t a, uint32_t b); /* members of both */

#endif /* VTB_HBGRAPH_SETS_H */
