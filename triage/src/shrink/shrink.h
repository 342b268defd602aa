/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file shrink.h
 * From a failing execution to the simplest schedule that fails in the same way.
 *
 * Method:    the run is first turned into explicit deviations from run-to-block and replayed. Then delta debugging
 *            [DD02] over the list of deviations, moves of
 *            single switches to other points of the same thread, other targets, and exchange of two threads' roles;
 * whatever a candidate did is turned into explicit deviations again, so that the result always describes its own run.
 * Order:     fewest preemptive switches and other deviations (c), then fewest variables they are charged to (v), then
 * fewest threads that take part in them, then fewest departures from what run-to-block does by itself, then fewest
 * switches, then switches that sit right after an access that the intruders conflict with. Promise:   every accepted
 * step was replayed and failed with the same signature. The result is a local minimum; it is the true minimum for c
 * only if a search has exhausted the levels below (hunt.c sees to that). Ownership: borrows runner and execution; the
 * result owns its arrays, vtb_shrunk_fini() frees them.
 */
#ifndef VTB_SHRINK_H
#define VTB_SHRINK_H

#include "vtb/runner.h"

struct vtb_shrink_opts {
	uint64_t budget;          /* schedules it may run; 0: VTB_SHRINK_BUDGET */
	bool (*stop)(void *data); /* asked between batches; NULL: never */
	/** Of long runs the result is run once more when stop() has said so, to be told whole: that begins, and is
	 * over. May be NULL. */
	void (*telling)(void *data, bool begins);
	void *data;
};
#define VTB_SHRINK_BUDGET 5000u

struct vtb_shrunk {
	struct vtb_schedule schedule; /* explicit deviations from run-to-block; tuple filled in but for t */
	struct vtb_exec exec;         /* its run */
	struct vtb_tuple tuple;       /* of that run; l and t are 0 */
	uint64_t runs;                /* schedules executed */
	bool local_minimum;           /* false: the budget ended first, or stop() said so */
};

void vtb_shrunk_fini(struct vtb_shrunk *s);

/** Is this run a failure with this signature ("" or NULL: any failure)? */
bool vtb_exec_fails_as(const struct vtb_exec *x, const char *signature);

/** Shrink `failing`. 0; -VTB_E_DIVERGED if the run cannot be reproduced from its own schedule; errors of the runner. */
int vtb_shrink(struct vtb_runner *runner, const struct vtb_exec *failing, const struct vtb_shrink_opts *opts,
               struct vtb_shrunk *ret, struct vtb_error *err);

#endif /* VTB_SHRINK_H */
