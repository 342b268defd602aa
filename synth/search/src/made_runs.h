/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file made_runs.h
 * Runs that need not be made again. A schedule without constraints, of which the deviations are switches and demotions,
 * is a rule for every choice; if the first choice of a run that was made agrees with it, and the second, and so on to
 * the end, and each deviation has found its place by then, the rule leads to that run: programs under control do the
 * same after the same choices. Several strategies begin with the default run and with one switch out of it, and many
 * orders of few threads lead to one run. A deadline passes when nobody can go on, which is no choice; where it goes by
 * the system's clock such runs are not kept.
 *
 * Shape:     whole runs that passed, of such schedules; the first VTB_MADE_RUNS of them, and at most VTB_MADE_EVENTS
 * operations in all. After VTB_MADE_LOOKS runs only schedules without deviations are looked for: by then others seldom
 * repeat a run, and the look may cost as much as a run. Ownership: owns copies.
 */
#ifndef VTB_MADE_RUNS_H
#define VTB_MADE_RUNS_H

#include "vtb/exec.h"

#define VTB_MADE_RUNS 48u
#define VTB_MADE_LOOKS 128u
#define VTB_MADE_EVENTS (1u << 18)

/* Of one thread, while a run is followed. */
struct vtb_made_thread {
	uint64_t place; /* whose is least goes on */
	uint32_t done;  /* operations */
};
#define VTB_MADE_UNLISTED ((uint64_t)UINT32_MAX) /* of a thread without a rank; demoted ones come behind those */

struct vtb_made_runs {
	struct vtb_exec runs[VTB_MADE_RUNS];
	bool by_main[VTB_MADE_RUNS]; /* only main created threads: their ids are in order of creation */
	uint32_t n;
	size_t events;
	uint64_t told; /* runs, kept or not */
	struct vtb_made_thread *threads;
	size_t n_threads, cap_threads;
	bool real_time;   /* by its user: deadlines do not pass by choices alone */
	bool orders_only; /* by its user: schedules with deviations are always run */
};

void vtb_made_runs_fini(struct vtb_made_runs *k);
/** Keep a copy of the run if it may serve. 0 or -ENOMEM. */
int vtb_made_runs_add(struct vtb_made_runs *k, const struct vtb_schedule *s, const struct vtb_exec *x);
/** The run that the schedule leads to, borrowed, or NULL. O(operations) for each run kept, less where they disagree
 * early. */
const struct vtb_exec *vtb_made_runs_find(struct vtb_made_runs *k, const struct vtb_schedule *s);

#endif /* VTB_MADE_RUNS_H */
