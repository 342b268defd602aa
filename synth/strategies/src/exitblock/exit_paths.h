/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exit_paths.h
 * Strategy exitblock's state: the run at hand as levels of blocks, who is delayed at each, and the tree of all runs.
 */
#ifndef SYNTH_EXIT_PATHS_H
#define SYNTH_EXIT_PATHS_H

#include "exit_blocks.h"
#include "exit_tree.h"
#include "lockset.h"
#include "vtb/chances.h"

struct block_level {
	uint32_t first, end; /* its operations, in exitblock.ops */
	uint32_t thread;
	uint32_t place,
	    places;      /* WAITER of its first signal with a choice: place chosen, how many there are; 0 no choice */
	uint32_t signal; /* operation index, in its thread, before that signal */
	uint32_t signal_var;
};

/* A thread that was tried and is delayed. Its block is ops[first, end) of `blocks`. */
struct delayed {
	uint32_t thread, first, end, from, woken;
};

struct exitblock {
	const struct vtb_space *space;
	struct exit_tree tree;
	uint32_t *path; /* by level: its point */
	size_t n_path, cap_path;
	uint32_t tried_at; /* point of the run that is under way; VTB_NONE */
	struct block_level *levels;
	size_t n_levels, cap_levels;
	uint64_t *open; /* by level: threads to be tried; `stride` words each */
	size_t n_open, cap_open;
	uint32_t stride;
	struct vtb_event *ops; /* of the run, by levels */
	size_t n_ops, cap_ops;
	uint32_t *index; /* by op: operations that its thread has done, it included */
	size_t n_index, cap_index;
	struct vtb_event *blocks; /* what delayed threads would do */
	size_t n_blocks, cap_blocks;
	struct delayed *delayed;
	size_t n_delayed, cap_delayed;
	uint32_t *done; /* by thread: operations */
	size_t n_done, cap_done;
	struct vtb_exit_blocks blocks_of; /* the run being read */
	struct vtb_chances chances;
	struct vtb_lockset lockset;
	struct vtb_lock_cycle *to_confirm, *confirmed;
	size_t n_to_confirm, cap_to_confirm, n_confirmed, cap_confirmed;
	struct vtb_schedule base; /* the schedule of the last run: what a confirmation departs from */
	bool started, exhausted, timed, more_signals;
	bool cuts_short; /* in some run the process ended while others lived: a block may be cut in the middle */
	bool tries;      /* some run had an operation that tells without waiting whether a lock is held: blocks are not
	                    atomic for it */
	bool yields; /* some run had a thread give way: who is delayed is not told apart from who waits for another */
	bool met;    /* the run being read has come to a state that was gone on from before */
	uint32_t possible;
	uint64_t blocked, diverged, cut;
};

static inline uint64_t *exit_open_at(const struct exitblock *b, size_t level)
{
	return b->open + level * b->stride;
}

/** Make room for `stride` words of threads at each level. -ENOMEM. */
int exit_widen(struct exitblock *b, uint32_t stride);
/** The entry that delays the thread at a level, or NULL. */
const struct delayed *exit_delayed_at(const struct exitblock *b, size_t level, uint32_t thread);
/** The block of `level` has run: who is delayed and depends on it may go on from the next level. */
void exit_enable_again(struct exitblock *b, size_t level);
/** Be where the point is: its path's levels, and who is delayed; the last level is the try. -ENOMEM. */
int exit_go_to(struct exitblock *b, uint32_t point, const struct exit_try *try);
/** Put the run from level `kept` - 1 on into the tree: a new try there, new points behind. -ENOMEM. */
int exit_keep_run(struct exitblock *b, size_t kept);
/** The run under way did not go where it was sent, or nothing was heard of it: the try counts, without a block. */
int exit_give_up_run(struct exitblock *b);

/** Of struct vtb_strategy, with a struct exitblock. */
void exit_claim(const void *state, struct vtb_claim *ret);

#endif /* SYNTH_EXIT_PATHS_H */
