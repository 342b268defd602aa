/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file hunt_items_args.h  Options of `vtb hunt` that make work items of the search. */
#ifndef VTB_HUNT_ITEMS_ARGS_H
#define VTB_HUNT_ITEMS_ARGS_H

#include "hunt_args.h"

/** Do they go together, and with the others? A usage error exits with 2. */
void vtb_hunt_check_items(struct hunt_args *a, struct argp_state *state);

#endif /* VTB_HUNT_ITEMS_ARGS_H */
