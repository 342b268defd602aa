/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_dot.h: run the program `dot` on a text. */
#ifndef VTB_VIZ_RUN_DOT_H
#define VTB_VIZ_RUN_DOT_H

#include <stddef.h>

#include "vtb/error.h"

/* SVG of the DOT text; *ret is NUL-terminated and yours. -VTB_E_TOOL with one line that says what to do, also where dot
 * does not end: it is stopped after 10 s. */
int run_dot_svg(const char *dot, size_t size, char **ret, size_t *ret_size, struct vtb_error *err);

#endif /* VTB_VIZ_RUN_DOT_H */
