/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file step_start.h
 * How a program comes under the stepper's control.
 */
#ifndef VTB_STEP_START_H
#define VTB_STEP_START_H

#include <sys/types.h>

#include "vtb/step.h"

/** Fork; the child asks to be traced and executes the program. Returns its pid or -1. */
pid_t step_start(const struct vtb_step_opts *opts);

/** Let the dynamic linker do its work: run the stopped process to the program's own first instruction. 0 or
 * -VTB_E_TARGET. */
int step_to_entry(pid_t pid);

#endif /* VTB_STEP_START_H */
