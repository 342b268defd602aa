/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of vtb hunt that are about what it writes: its state, how much, what stays. */
#ifndef VTB_HUNT_STATE_ARGS_H
#define VTB_HUNT_STATE_ARGS_H

#include "hunt_args.h"

/** Into struct hunt_args. */
extern const struct vtb_cli_row vtb_hunt_state_rows[];
/** Do they go together, and with the others? A usage error exits with 2. */
void vtb_hunt_check_state(struct hunt_args *a, struct argp_state *state);
/** Note what one would type to have the same hunt again. */
void vtb_hunt_keep_options(struct hunt_args *a, int argc, char **argv);

#endif /* VTB_HUNT_STATE_ARGS_H */
