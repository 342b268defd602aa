/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file order_picture.h The order as a picture: order.dot, and order.svg through the `dot` program. */
#ifndef VTB_PICTURE_H
#define VTB_PICTURE_H

#include "vtb/hunt.h"

/** Draw the failure, of which `failure_path` is the file, and set the finding's paths to the files written; `trouble`
 * says why one is missing. A find without a picture is still a find. True: both were written. */
bool vtb_picture_write(const struct vtb_failure *failure, const char *failure_path, const char *dot_path,
                       const char *svg_path, struct vtb_finding *f);

#endif /* VTB_PICTURE_H */
