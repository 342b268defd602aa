/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file guards.h  What a branch tells of a register on each of its ways. */
#ifndef SLICE_GUARDS_H
#define SLICE_GUARDS_H

#include "solve.h"

/** Does the end of the block tell something of `var`? */
bool guards_tell(const struct program *p, uint32_t block, uint32_t var);
/** Does the block's branch jump to get to `to`? */
bool guards_taken(const struct program *p, uint32_t from, uint32_t to);
struct guard_bounds {
	int64_t lo, hi;
};
/** What is left of the bounds of a number that was compared with `with`, if condition cc (the low 4 bits of a jump's
 * opcode) holds. `sum`: the flags are those of the sum that gave the number; it may have overflown. */
void guards_narrow(struct guard_bounds *x, unsigned cc, int64_t with, bool sum);
/** What is left of a value behind a NODE_GUARD. */
uint32_t guards_value(struct solve *s, const struct node *n, uint32_t value);

#endif /* SLICE_GUARDS_H */
