/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_dot.h: the picture as DOT; also what dot draws for SVG and HTML. */
#ifndef VTB_VIZ_REPORT_DOT_H
#define VTB_VIZ_REPORT_DOT_H

#include "reporter.h"

int report_dot_write(const struct picture *p, FILE *f);

#endif /* VTB_VIZ_REPORT_DOT_H */
