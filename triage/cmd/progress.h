/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file progress.h
 * The progress line on stderr and Ctrl-C. On a terminal one line is drawn again and again and removed at the end; elsewhere a
 * line is printed every 10 seconds, so that a short run is silent.
 */
#ifndef VTB_PROGRESS_H
#define VTB_PROGRESS_H

#include <stdio.h>

#include "vtb/hunt.h"

struct vtb_progress {
	bool terminal, silent;
	unsigned width;
	double last;  /* seconds at which the last line was printed */
	bool drawn;
};

/** Columns of the terminal behind `stream`; $COLUMNS, or 80 if it is none. */
unsigned vtb_progress_width(FILE *stream);

/** Take over SIGINT and SIGTERM and let `opts` report to `p`, which must live as long. */
void vtb_progress_begin(struct vtb_progress *p, bool silent, struct vtb_hunt_opts *opts);
void vtb_progress_end(struct vtb_progress *p);

#endif /* VTB_PROGRESS_H */
