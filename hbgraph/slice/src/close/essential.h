/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file essential.h  Which statements of a program decide failures, and which of its places vtb is told of. */
#ifndef SLICE_ESSENTIAL_H
#define SLICE_ESSENTIAL_H

#include "closure.h"
#include "named_functions.h"

struct essential {
	uint64_t addr;
	uint32_t insn;
	uint32_t kinds;
	char what[48];
};

struct site {
	uint64_t addr; /* as events tell it */
	uint32_t kinds;
	bool access;
	uint32_t insn; /* its hook's call, or the instruction itself */
};

struct essentials {
	struct essential *rows;
	size_t n_rows, cap_rows;
};

struct sites {
	struct site *rows; /* by address */
	size_t n_rows, cap_rows;
};

/** Find all of them, calls and contents of functions that the user named too, and make the closure need what they
 * depend on. */
int essentials_find(struct essentials *e, struct closure *c, const struct named *named);
/** One more, of some kinds: what happens at instruction i needs `item`. 0 or -ENOMEM. */
int essentials_add(struct essentials *e, struct closure *c, uint32_t i, uint32_t kinds, uint64_t item, const char *verb,
                   const char *what);
/** Loops that only other threads can end (waits.c). */
int waits_find(struct essentials *e, struct closure *c);
/** Is a number of 4 bytes always the same? */
bool essential_constant(struct closure *c, uint32_t value);
/** Places that events can come from, with the kinds that the closure has come to so far. */
int sites_find(struct sites *t, struct closure *c);
/** The items of what the place at insn does: at most max; 0: it is not known. */
size_t sites_items(struct closure *c, uint32_t insn, bool hook, uint64_t *ret, size_t max);

#endif /* SLICE_ESSENTIAL_H */
