/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file kinds.h
 * Variables that are touched at the same places of the program are of one kind, such as the elements of an array that a
 * loop fills. A bug that involves one of them usually shows with the first ones, too ([CVT13] says so of heap blocks
 * with one call stack). So each variable gets a turn within its kind, and searches take the first ones of all kinds
 * before the later ones of any.
 *
 *      kind      {a.c:3}          {a.c:7, a.c:9}    {b.c:2}
 *      turn 0    work[0]          count             slots[0].lock
 *      turn 1    work[1]                            slots[1].lock
 *
 * A guess: nothing is left out by it.
 */
#ifndef VTB_KINDS_H
#define VTB_KINDS_H

#include "vtb/coverage.h"

/** The place of a site in the set of places of a variable: sets of one bit in 64, two may fall together. */
static inline uint64_t vtb_kinds_bit(uint32_t site)
{
	return 1ull << ((site + 1ull) * 0x9e3779b97f4a7c15u >> 58);
}

/** Give turns to all variables that threads share, in the order of their ids. 0 or -ENOMEM. O(variables). */
int vtb_kinds_turns(struct vtb_coverage *c);

#endif /* VTB_KINDS_H */
