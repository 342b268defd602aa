/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file viz.h
 * From any of our files (trace.json, schedules.json, failure.json) to a picture or a report. Each output format is one
 * const row of a table, in a file of its own; to add one, see CONTRIBUTING.
 *
 * Errors:  those of the readers; -VTB_E_FORMAT if the file is none of the three; -VTB_E_TOOL if `dot` (Graphviz) is
 *          missing or failed: it is run as a program, never linked; -VTB_E_UNSUPPORTED if the format needs more than
 * the file holds. Output:  whole or not at all; the same input gives the same bytes (SVG: with the same version of dot
 * and fonts).
 */
#ifndef VTB_VIZ_H
#define VTB_VIZ_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/error.h"
#include "vtb/sheet.h"

struct vtb_failure;

struct vtb_viz_format {
	const char *name; /* --NAME */
	const char *help; /* one line */
};

/** Format number i, NULL beyond the last. */
const struct vtb_viz_format *vtb_viz_format(size_t i);
/** Its number, or -EINVAL. */
int vtb_viz_format_by_name(const char *name);

/** Which orders a tree of schedules has. */
struct vtb_viz_tree {
	const char *strategy; /* NULL: exitblock */
	bool rw;              /* without those that reads and writes tell to be equal */
};

struct vtb_viz_opts {
	const char *path; /* the file to draw; "-" is stdin */
	const struct vtb_failure
	    *failure; /* what a failure.json of that name would hold: no file is read; NULL: it is read */
	size_t format;
	const char *output;            /* NULL or "-": stdout */
	size_t schedule;               /* schedules.json: which one, from 0 */
	struct vtb_report_style style; /* of text */
	struct vtb_viz_tree tree;
};

/** 0; 1: what is written is cut, *err says how. */
int vtb_viz_run(const struct vtb_viz_opts *opts, struct vtb_error *err);

#endif /* VTB_VIZ_H */
