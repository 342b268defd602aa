/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file simulate_at.h
 * Runs of a simulated trace that begin in the middle of another run and end soon: what a long trace is searched with.
 *
 * Shape:     at_begin() puts the origin before the first operation, at_pass() moves it on by one; runs of the runner
 * begin at the origin until at_end(). Operation k of a thread in such a run is operation passed[thread] + k of the
 *            whole. Each thread does at most `stretch` operations, and then stops as if it slept: of the
 *            verdicts that mean waiting for ever only VTB_V_DEADLOCK is given then.
 * Ownership: the runner is one of vtb_simulate_new().
 */
#ifndef VTB_SIMULATE_AT_H
#define VTB_SIMULATE_AT_H

#include "vtb/runner.h"

/** 0 or -ENOMEM. O(objects + threads), and so is the beginning of each run. */
int vtb_simulate_at_begin(struct vtb_runner *runner, uint32_t stretch);
/** The next operation of `thread`, which has one and can do it, takes place before the origin. O(1). */
void vtb_simulate_at_pass(struct vtb_runner *runner, uint32_t thread);
/** By thread: operations before the origin. Valid until the runner is freed. */
const uint32_t *vtb_simulate_at_passed(const struct vtb_runner *runner);
void vtb_simulate_at_end(struct vtb_runner *runner);

#endif /* VTB_SIMULATE_AT_H */
