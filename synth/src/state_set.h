/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file state_set.h
 * States that a search has gone on from (--match-states): a set of 128-bit fingerprints, and the walk along a run that asks it.
 *
 * Key:    the state alone, if deviations are not bounded; else with it what decides what going on from there costs and what is left of
 *         the bound: the caller's `also`. Levels of (c, v) are searched from the lowest up, so who has met a key first had most left.
 * Memory: 16 bytes a place, at most 3/4 full, at most `limit` places; a full set takes every new state for new each time, which costs
 *         runs and misses nothing.
 * Errors: two of n states are taken for one with probability below n^2 / 2^129, and what only the second leads to may be missed then.
 */
#ifndef VTB_STATE_SET_H
#define VTB_STATE_SET_H

#include "vtb/exec.h"
#include "vtb/hash.h"

struct vtb_state_set {
	struct vtb_hash128 *keys; /* both 0: free */
	size_t room, used;
	size_t limit;             /* places; a power of two */
	uint64_t not_kept;
	uint64_t met;             /* times that a state was there */
	uint64_t unknown;         /* points of runs that told no state there */
	const struct vtb_exec *x; /* walked along */
	size_t next;
};

/** For at most `memory` bytes. */
void vtb_state_set_init(struct vtb_state_set *s, size_t memory);
void vtb_state_set_fini(struct vtb_state_set *s);
/** Add; *ret_new: it was not there. 0 or -ENOMEM. */
int vtb_state_set_add(struct vtb_state_set *s, struct vtb_hash128 key, bool *ret_new);
/** At most this probable that two of the states were taken for one. */
double vtb_state_set_merged(const struct vtb_state_set *s);

/** Walk along a run; then ask for rows in ascending order. */
void vtb_state_set_begin(struct vtb_state_set *s, const struct vtb_exec *x);
/** Is the state before event `row` one that was gone on from? If not, it is from now on. Not, if the run does not tell it. 0 or -ENOMEM. */
int vtb_state_set_ask(struct vtb_state_set *s, uint32_t row, uint64_t also, bool *ret_met);

#endif /* VTB_STATE_SET_H */
