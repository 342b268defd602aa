/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file lost_files.h Files of a find that could not be written. */
#ifndef VTB_LOST_FILES_H
#define VTB_LOST_FILES_H

#include "vtb/hunt.h"

/** Say on stderr which they are and why, one line each: for who is not given the whole report, which has it. */
void lost_files_tell(const struct vtb_hunt_result *result);

#endif /* VTB_LOST_FILES_H */
