/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file one_step.h
 * Functions of the user's that are one step by themselves, such as getters with a lock and wrappers of mutexes: what
 * they do is better told by the line that calls them, as no other thread comes between what they do.
 */
#ifndef VTB_ONE_STEP_H
#define VTB_ONE_STEP_H

#include "vtb/exec.h"

/**
 * ret[i] = how many of the user's functions, from the innermost on, to leave out where event i is shown, or, from
 * n_events on, operation i - n_events of x->pending. `calls` has their functions, numbered in the same way.
 *
 * A call is one step if it is a single operation on an object that threads synchronise by, or if one lock is held
 * from its first access to the last, which all accesses to these objects have. It may wait for a condition with that
 * lock, if it looks at something again behind the wait. A function is left out if all its calls that come to their end
 * in the run are one step, and they come from several places, or the caller of one of them, or theirs, does more with
 * what it touches: else its own line says as much, and the mistake may be in it.
 *
 * 0 or -ENOMEM. O(operations * functions under way).
 */
int vtb_one_step_calls(const struct vtb_exec *x, const struct vtb_run_calls *calls, uint8_t *ret);

#endif /* VTB_ONE_STEP_H */
