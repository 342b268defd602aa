/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt_state.h
 * The state of a hunt on disk, in one directory: state.json and runs.vtb (docs/format/state.md). A hunt that has one
 * begins as every hunt does, and what it has run before it need not run again.
 *
 * Time: while runs come from the file the hunt's clock stands at the moment at which they were made.
 */
#ifndef VTB_HUNT_STATE_H
#define VTB_HUNT_STATE_H

#include "hunt_priv.h"
#include "vtb/keeper.h"

struct vtb_hunt_state {
	struct vtb_hunt *hunt;
	struct vtb_kept *kept;
	struct vtb_kept_facts before; /* of runs from the file: what this process's runner does not know */
};

/** With opts->state_dir: open it, or make it, for the hunt's program and options, and stand before its runner. -ESTALE:
 * it is another hunt's; -EBUSY; or what is wrong with it. */
int vtb_hunt_state_begin(struct vtb_hunt_state *state, struct vtb_hunt *hunt);
/** Write what is not written yet, and say in the result what has become of it; remove it, if that was asked for and
 * nothing is left to run. */
int vtb_hunt_state_end(struct vtb_hunt_state *state);
/** Also after an error, and when there is none. */
void vtb_hunt_state_fini(struct vtb_hunt_state *state);

#endif /* VTB_HUNT_STATE_H */
