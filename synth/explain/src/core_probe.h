/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_probe.h
 * Runs that are asked for to refute a core, or to find a failure that has none of those known: schedules that keep some
 * orders of a failing run by constraints, turn others round, and leave the rest to chance.
 */
#ifndef VTB_CORE_PROBE_H
#define VTB_CORE_PROBE_H

#include "core_smallest.h"

struct core_probe {
	struct vtb_runner *runner;
	struct core_runs *runs;
	const struct vtb_cores_opts *opts;
	uint64_t made, budget, rng;
	struct vtb_error *err;
};

bool core_probe_over(const struct core_probe *probe);

/** Look for a passing run that has the set's literals in run number `failing`. 1 found, it is among the runs; 0 none,
 * *ret_kept runs had them and failed; or an error. */
int core_refute(struct core_probe *probe, size_t failing, const struct core_literals *literals,
                const struct core_set *set, uint64_t *ret_kept);

/** Some runs in which of each core at least one literal is turned round. 0 or an error. */
int core_seek(struct core_probe *probe, const struct vtb_core *cores, size_t n_cores);

#endif /* VTB_CORE_PROBE_H */
