/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file state_set.h
 * States that a search has gone on from (--match-states): a set of their fingerprints (hash_set.h), and the walk along
 * a run that asks it.
 *
 * Key:    the state alone, if deviations are not bounded; else with it what decides what going on from there costs and
 * what is left of the bound: the caller's `also`. Levels of (c, v) are searched from the lowest up, so who has met a
 * key first had most left. Errors: two states taken for one (hash_set.h says how probable that is): what only the
 * second leads to may be missed then. A full set costs runs and misses nothing.
 */
#ifndef VTB_STATE_SET_H
#define VTB_STATE_SET_H

#include "vtb/exec.h"
#include "vtb/hash_set.h"

struct vtb_state_set {
	struct vtb_hash_set set;
	uint64_t met;             /* times that a state was there */
	uint64_t unknown;         /* points of runs that told no state there */
	const struct vtb_exec *x; /* walked along */
	size_t next;
};

/** None was met. */
void vtb_state_set_forget(struct vtb_state_set *s);
/** Walk along a run; then ask for rows in ascending order. */
void vtb_state_set_begin(struct vtb_state_set *s, const struct vtb_exec *x);
/** Is the state before event `row` one that was gone on from? If not, it is from now on. Not, if the run does not tell
 * it. 0 or -ENOMEM. */
int vtb_state_set_ask(struct vtb_state_set *s, uint32_t row, uint64_t also, bool *ret_met);

#endif /* VTB_STATE_SET_H */
