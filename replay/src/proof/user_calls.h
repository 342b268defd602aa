/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file user_calls.h The user's functions of each event of a run, from its stacks. */
#ifndef VTB_USER_CALLS_H
#define VTB_USER_CALLS_H

#include "stack_frames.h"
#include "vtb/map64.h"
#include "vtb/exec.h"

struct calls {
	struct vtb_run_calls *to;
	struct vtb_map64 known; /* hash of a stack -> 1 + an event that has it */
};

/** Event number `event`, later than those before, has this stack. `exact` as for vtb_stack_walk(). 0 or -ENOMEM. */
int vtb_calls_add(struct calls *c, const struct stack_names *names, const uint64_t *pcs, size_t n, bool exact,
                  size_t event);

#endif /* VTB_USER_CALLS_H */
