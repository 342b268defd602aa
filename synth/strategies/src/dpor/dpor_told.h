/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file dpor_told.h
 * Runs that are told without what only one thread touches (decision 51), as far as the runner can do that. Only runs
 * that tell the same are of use to each other: where one tells more or less, all begins again with a run that is still
 * to be made.
 */
#ifndef VTB_SYNTH_DPOR_TOLD_H
#define VTB_SYNTH_DPOR_TOLD_H

#include "vtb/exec.h"

struct dpor;
struct dpor_all;

struct dpor_told {
	uint32_t now;    /* vtb_exec.told of all runs since it began; 0: everything is told */
	bool is_new;     /* it began, and no run was taken since */
	bool seen;       /* in some run something was passed over */
	bool whole;      /* nothing is passed over any more */
	uint32_t anew;   /* times it began again since a run told more or less */
	uint64_t missed; /* runs since then that were not as planned, and perhaps for that */
};

/** May its next run pass over what one thread touches? */
bool vtb_dpor_passes_over(const struct dpor *d);
/** Does the run tell more or less than those before it? All is forgotten then, but for what the claim is made of. */
bool vtb_dpor_told_otherwise(struct dpor *d, const struct vtb_exec *x);
/** A run was not as planned: another one of what is told, or of what is passed over, stood where one was planned, or
 * its thread was left among these. 1: from now on everything is told, and all begins again. */
int vtb_dpor_misses(struct dpor *d);
/** It has come to its end. True: but runs were not as planned; everything is told now, and all begins again. */
bool vtb_dpor_has_missed(struct dpor_all *all);

#endif /* VTB_SYNTH_DPOR_TOLD_H */
