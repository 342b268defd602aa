/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call stacks of a controlled run, from its STACK records. */
#ifndef VTB_STACKS_H
#define VTB_STACKS_H

#include "vtb/exec.h"
#include "vtb/failure.h"

#include <stddef.h>
#include <stdint.h>

/* A stack as recorded: runtime return addresses, innermost first; borrowed. */
struct raw_stack {
	uint32_t event; /* index in the exec's events; UINT32_MAX: none found */
	const uint64_t *pcs;
	size_t n;
};

/**
 * The stacks on both sides of the last change of thread in the run: of the last operation before it, in the thread that
 * was left, and of the first operation after it. `words`: the records of the run that became `x`. False if the run has
 * no change of thread; stacks that were not recorded are empty. O(words).
 */
bool vtb_stacks_of_last_switch(const uint64_t *words, size_t n_words, const struct vtb_exec *x,
                               struct raw_stack *ret_left, struct raw_stack *ret_entered);

/**
 * The stacks of a run that failed with verdict memory: who asked for the block that the failing address lies in, who
 * gave it back, what failed (vtb/failure.h). `event` is one of that thread. Parts that were not recorded are empty.
 * False: no address. O(words).
 */
bool vtb_stacks_of_heap(const uint64_t *words, size_t n_words, struct raw_stack ret[VTB_HEAP_PARTS]);

#endif /* VTB_STACKS_H */
