/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file picture.h The order as a picture: order.dot, and order.svg through the `dot` program. */
#ifndef VTB_PICTURE_H
#define VTB_PICTURE_H

#include "vtb/failure.h"
#include "vtb/hunt.h"

/** Write both files and set the finding's paths to those that were written; trouble says why one is missing. A find without a picture is still a find. */
void vtb_picture_write(const struct vtb_failure *failure, const char *dot_path, const char *svg_path, struct vtb_finding *f);

#endif /* VTB_PICTURE_H */
