/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file slice_why.h  The answers of vtb/slice.h in words. */
#ifndef VTB_SLICE_WHY_H
#define VTB_SLICE_WHY_H

#include <stdio.h>

#include "vtb/slice.h"

/** For each access of the program at `path` that lies at `place` ("file.c:12", "function", "function+0x1f" or an
 * address such as "0x11f2"): what it can influence, and the way to it; then how many accesses matter. Returns how many
 * lie there, or a negative error. */
int64_t vtb_slice_why(const char *path, const char *place, const struct vtb_slice_opts *opts, FILE *out,
                      struct vtb_error *err);

#endif /* VTB_SLICE_WHY_H */
