/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_svg.h: the picture as SVG text. */
#ifndef VTB_VIZ_REPORT_SVG_H
#define VTB_VIZ_REPORT_SVG_H

#include "reporter.h"

/* *ret is NUL-terminated and yours. */
int report_svg_of(const struct picture *p, char **ret, size_t *ret_size, struct vtb_error *err);

#endif /* VTB_VIZ_REPORT_SVG_H */
