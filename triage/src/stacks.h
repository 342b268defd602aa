/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file stacks.h Call stacks of a failing run's last switch. */
#ifndef VTB_STACKS_H
#define VTB_STACKS_H

#include "hunt_priv.h"
#include "vtb/failure.h"

/** Run the schedule once more, asking for stacks, and fill failure->left and failure->entered. Stacks are a convenience: what cannot be had stays empty. Process runners only. */
void vtb_stacks_of_last_switch(struct vtb_runner *runner, const struct vtb_finding *f, struct vtb_failure *failure);

#endif /* VTB_STACKS_H */
