/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file sharing.h
 * Which accesses can be in conflict with another thread's: both may touch the same byte, one of them writes, and they
 * are not sure to be done by one thread.
 *
 * Who executes a function is told by who calls it: main's thread, or any. All threads but main's count as one that is
 * there several times, and what other modules or signals may call as executed by all.
 */
#ifndef SLICE_SHARING_H
#define SLICE_SHARING_H

#include "closure.h"

struct sharer {
	uint32_t next;
	struct place at;
	uint8_t by; /* BY_* */
	bool writes;
};

/* All accesses of a region, or of what is known outside. */
struct shared {
	uint32_t first;
	uint8_t reads, writes; /* by whom: BY_* */
};

struct sharing {
	struct closure *c;
	uint8_t *by; /* function -> BY_* */
	struct sharer *rows;
	size_t n_rows, cap_rows;
	struct shared *regions;
	size_t n_regions, cap_regions;
	struct shared outside; /* through addresses that may be anything */
	struct shared lost;    /* these, and of all regions that are known outside */
	bool above;            /* words above a frame are touched: no frame's accesses are told from another's */
};

/** All accesses of the program. 0 or -ENOMEM. */
int sharing_init(struct sharing *s, struct closure *c);
void sharing_fini(struct sharing *s);
/** Can the accesses of instruction i be in conflict with another thread's? O(accesses of the same region). */
bool sharing_is_shared(struct sharing *s, uint32_t i);

#endif /* SLICE_SHARING_H */
