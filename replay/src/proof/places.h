/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file places.h
 * Where the operations of a run stand in the user's own source. Inlined and called functions of libraries go, and those
 * of the user's that are one step by themselves (one_step.h); which of them did the operation for the line is kept
 * (struct vtb_site: via, inside).
 */
#ifndef VTB_PLACES_H
#define VTB_PLACES_H

#include "vtb/exec.h"
#include "vtb/failure.h"
#include "vtb/runner.h"

/**
 * Put every operation of *x, done and pending, and its failure to the innermost line of the user's; those of which no
 * line is known to be the user's stay where they are. Threads that a library starts get the names of what they run.
 * `x` is the last run of the runner, a process runner, made with call stacks. *calls, if not NULL and empty, gets the
 * user's functions of each operation done. 0 or an error. O(records * functions under way).
 */
int vtb_places_of_run(struct vtb_runner *runner, struct vtb_exec *x, struct vtb_run_calls *calls);

/** The user's frames of a stack of runtime return addresses, innermost first, appended to *to as sites of the runner's
 * table; all frames if none is the user's. */
int vtb_places_of_stack(struct vtb_runner *runner, const uint64_t *pcs, size_t n, struct vtb_stack *to);

#endif /* VTB_PLACES_H */
