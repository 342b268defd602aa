/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file hunt_options.h  From the options of a hunt to those of its process runner. */
#ifndef VTB_HUNT_OPTIONS_H
#define VTB_HUNT_OPTIONS_H

#include "vtb/predicate_slices.h"
#include "vtb/hunt.h"
#include "vtb/process_runner.h"

#define VTB_HUNT_RUN_SECONDS 10 /* the runner's own limit of one run */

/** Fill *ret; `statuses` has 256 places, as vtb_runner_opts_read() says. Errors: what does not go together, a search
 * that is not known, a directory that cannot be written to. */
/** Bytes of --max-disk for each thing that a hunt writes; all 0: no limit. */
struct vtb_disk_shares {
	uint64_t scratch;  /* of one run in its view of files, with --scratch */
	uint64_t state;    /* runs.vtb of --state */
	uint64_t tree;     /* of an execution tree, with --max-memory */
	uint64_t findings; /* failure.json and pictures of all findings */
};
struct vtb_disk_shares vtb_hunt_disk_shares(const struct vtb_hunt_opts *opts);
/** With --max-memory: what each part of the search may hold when the process may hold `memory`, and where it may put
 * what does not fit. */
void vtb_hunt_memory(const struct vtb_hunt_opts *opts, uint64_t memory, struct vtb_search_opts *search);

int vtb_hunt_read_options(const struct vtb_hunt_opts *opts, struct vtb_stop *stop, int *statuses,
                          struct vtb_process_opts *ret, struct vtb_error *err);

struct vtb_hunt;
/** Begin the search, with what --predicate and --assertions-only ask for; `pruning` must live as long. */
int vtb_hunt_begin_search(struct vtb_hunt *hunt, struct vtb_search_opts *opts, struct vtb_pruning *pruning,
                          struct vtb_search **ret);

#endif /* VTB_HUNT_OPTIONS_H */
