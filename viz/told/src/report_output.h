/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the failing run printed, in the verdict block. */
#ifndef VTB_REPORT_OUTPUT_H
#define VTB_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "vtb/said.h"

struct vtb_output_style {
	FILE *to;
	unsigned column, width; /* where text begins; columns of a line */
	bool colored;
	bool whole; /* all lines, not only the last ones */
};

/** Its last lines; nothing if it printed nothing. */
void vtb_report_said(const struct vtb_output_style *style, const struct vtb_said *said);

#endif /* VTB_REPORT_OUTPUT_H */
