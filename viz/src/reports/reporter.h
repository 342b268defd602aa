/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reporter.h: one row for each output format. */
#ifndef VTB_VIZ_REPORTER_H
#define VTB_VIZ_REPORTER_H

#include <stdio.h>

#include "picture.h"
#include "vtb/sheet.h"
#include "vtb/viz.h"

/* What there is to report. */
struct report {
	const char *path; /* of the file read */
	const struct picture *picture;
	const struct vtb_trace *trace;         /* NULL for a schedules.json */
	struct vtb_trace *own;                 /* the same, if it was read for this report alone: its table may grow */
	const struct vtb_viz_tree *tree;       /* which orders */
	const struct vtb_failure *failure;     /* NULL for others */
	const struct vtb_schedules *schedules; /* NULL for a trace.json */
	const struct vtb_report_style *style;  /* of text */
};

struct reporter {
	struct vtb_viz_format format;
	/* 1: it is written, and cut: *err says so */
	int (*write)(const struct report *report, FILE *f, struct vtb_error *err);
};

extern const struct reporter reporter_text, reporter_dot, reporter_svg, reporter_html, reporter_markdown,
    reporter_perfetto, reporter_sarif, reporter_junit, reporter_github, reporter_tree;

#endif /* VTB_VIZ_REPORTER_H */
