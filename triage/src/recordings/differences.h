/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file differences.h
 * What else than the order of operations tells recordings that failed from those that passed: their environment, their
 * input, their arguments; and, by runs of the default schedule under other conditions, whether the outcome depends on
 * the clock, on addresses, or on memory that was never written.
 *
 * Errors: -ENOMEM; a recording without meta.json (a trace.json) tells nothing. What cannot be tried is left out.
 */
#ifndef VTB_DIFFERENCES_H
#define VTB_DIFFERENCES_H

#include "vtb/triage.h"

/** Append to t->differs what each failing recording has and no passing one. O(recordings^2 * variables). */
int vtb_differences_recorded(struct vtb_triage *t);

/** Append what the outcome of the default schedule depends on, by up to some 60 runs of the program of `opts`. */
int vtb_differences_tried(struct vtb_triage *t, const struct vtb_hunt_opts *opts);

/** Append that other processes have a part in it, if the hunt has seen some, and nothing else tells the runs apart
 * though they follow the same order. */
int vtb_differences_outside(struct vtb_triage *t);

/** One sentence more. 0 or -ENOMEM. */
int vtb_differences_add(struct vtb_triage *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* VTB_DIFFERENCES_H */
