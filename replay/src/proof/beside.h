/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file beside.h What is written down beside a failing run: a run that passes, and the code around both. */
#ifndef VTB_BESIDE_H
#define VTB_BESIDE_H

#include "vtb/failure.h"
#include "vtb/runner.h"

/** Look for a run that goes like `s` as long as it can and passes: `s` without its last deviation, or without the last
 * two, ... Fills failure->passing, or leaves it empty: there may be none, and there is none beside a failing
 * run that is longer than what may be kept. Up to 3 runs. 0 or an error of the names; a run that cannot be made is
 * none. */
int vtb_beside_passing(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_failure *failure);

/** Fill failure->sources with the lines around the operations of both runs. 0 or -ENOMEM. O(sites log sites). */
int vtb_beside_sources(struct vtb_runner *runner, struct vtb_failure *failure);

#endif /* VTB_BESIDE_H */
