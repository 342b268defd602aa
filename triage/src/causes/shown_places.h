/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file shown_places.h
 * The user's lines of operations of cores, and the functions that they are called by: their runs are made once more
 * with call stacks.
 */
#ifndef VTB_SHOWN_PLACES_H
#define VTB_SHOWN_PLACES_H

#include "hunt_priv.h"
#include "vtb/cores.h"
#include "vtb/map64.h"

#define VTB_SHOWN_CORES 4u                   /* sites of others are known by then, mostly */
#define VTB_SHOWN_RUNS (VTB_SHOWN_CORES + 2) /* one that passes, and one that a repair was tried in */

/** A run, made once more. */
struct vtb_shown_run {
	const struct vtb_exec *raw; /* borrowed */
	struct vtb_run_calls calls;
};

struct vtb_shown_places {
	struct vtb_map64 of_op;   /* a run, and a number in it or a thread at its end -> site + 1 */
	struct vtb_map64 of_site; /* where an operation did not take place: thread, or any, and site -> site + 1 */
	/* ... and a site whatever thread it is -> run * 2^32 + 1 + an event that has its calls, 0: they differ */
	struct vtb_map64 calls_of_site;
	struct vtb_shown_run runs[VTB_SHOWN_RUNS];
	size_t n_runs;
};

/** Learn from the runs of the first few cores, and from `first`, one that passes if any is known. Where hunt->runner
 * makes runs without their stem, all of them are such runs; they are shown whole, and cut. 0 or an error. */
int vtb_shown_places(struct vtb_hunt *hunt, const struct vtb_cores *cores, const struct vtb_exec *first,
                     struct vtb_shown_places *ret);
/** Learn from this run, too. 0 or an error. */
int vtb_shown_places_add(struct vtb_hunt *hunt, struct vtb_shown_places *p, const struct vtb_exec *run);
void vtb_shown_places_fini(struct vtb_shown_places *p);

/** The events of `raw`, with the sites that `shown`, the same with call stacks, has for what their threads do there;
 * their own from where on a thread goes another way, unless it was there before. 0 or -ENOMEM. */
int vtb_shown_as_known(const struct vtb_exec *raw, const struct vtb_exec *shown, struct vtb_exec *ret);

/** The site to show for the operation of a core whose run is `run`; its own if nothing better is known. */
uint32_t vtb_shown_place(const struct vtb_shown_places *p, const struct vtb_core_op *op, const struct vtb_exec *run);

/** The user's functions that were under way at event `at` of `run`, innermost first; VTB_EVENT_NONE: wherever the
 * thread comes to that site, if they are the same each time. The number of them, 0: not known. */
size_t vtb_shown_calls(const struct vtb_shown_places *p, const struct vtb_exec *run, size_t at, uint32_t thread,
                       uint32_t site, const struct vtb_call **ret);

#endif /* VTB_SHOWN_PLACES_H */
