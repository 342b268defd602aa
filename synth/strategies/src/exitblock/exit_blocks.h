/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exit_blocks.h
 * Where atomic blocks end, and which thread could begin one (strategy_exitblock.c).
 *
 * Ownership: scratch memory, kept from run to run. The walk along a run goes only forwards.
 */
#ifndef VTB_EXIT_BLOCKS_H
#define VTB_EXIT_BLOCKS_H

#include "priorities/prio.h"

struct vtb_exit_blocks {
	const struct vtb_space *space;
	struct vtb_prio_run run;
	uint32_t *ended; /* variables of threads that have ended, as far as the run was walked */
	size_t n_ended, cap_ended;
	uint32_t thread, done; /* who did the last operation; operations of its block */
	bool over;             /* it ended a block */
};

/** Begin with a run. 0 or -ENOMEM. O(events). */
int vtb_exit_blocks_begin(struct vtb_exit_blocks *b, const struct vtb_exec *x);
void vtb_exit_blocks_fini(struct vtb_exit_blocks *b);
/** Event k has taken place. 0 or -ENOMEM. */
int vtb_exit_blocks_pass(struct vtb_exit_blocks *b, size_t k);
/** Does the block that event k, which has just passed, belongs to end with it? O(operations that commute with
 * everything after it). */
bool vtb_exit_blocks_ends(struct vtb_exit_blocks *b, size_t k);
/** The thread's first event at or after event k, VTB_NONE: none. */
uint32_t vtb_exit_blocks_next(struct vtb_exit_blocks *b, size_t k, uint32_t thread);
/** Could `thread`, enabled before event k, do more there than join some of several threads that it waits for? */
bool vtb_exit_blocks_begins(struct vtb_exit_blocks *b, size_t k, uint32_t thread);

#endif /* VTB_EXIT_BLOCKS_H */
