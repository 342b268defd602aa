/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file shown_places.h
 * The user's lines of operations of cores: their runs are made once more with call stacks.
 */
#ifndef VTB_SHOWN_PLACES_H
#define VTB_SHOWN_PLACES_H

#include "hunt_priv.h"
#include "vtb/cores.h"
#include "vtb/map64.h"

struct vtb_shown_places {
	struct vtb_map64 of_op;   /* thread and number in a core's run -> site + 1 */
	struct vtb_map64 of_site; /* where an operation did not take place: thread and site -> site + 1 */
};

/** Learn from the runs of the first few cores, and from the program's first run. 0 or an error. */
int vtb_shown_places(struct vtb_hunt *hunt, const struct vtb_cores *cores, struct vtb_shown_places *ret);
void vtb_shown_places_fini(struct vtb_shown_places *p);

/** The site to show for the operation of a core whose run is `run`; its own if nothing better is known. */
uint32_t vtb_shown_place(const struct vtb_shown_places *p, const struct vtb_core_op *op, const struct vtb_exec *run);

#endif /* VTB_SHOWN_PLACES_H */
