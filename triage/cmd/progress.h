/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file progress.h
 * The progress line on stderr and Ctrl-C. On a terminal one line is drawn again and again and removed at the end;
 * elsewhere a line is printed every 10 seconds, so that a short run is silent. A failure that was proved is told at
 * once: on a terminal by its block, which the final one replaces; elsewhere by a line on stderr.
 */
#ifndef VTB_PROGRESS_H
#define VTB_PROGRESS_H

#include <stdio.h>

#include "vtb/hunt_report.h"

struct vtb_progress {
	bool terminal, silent;
	unsigned width;
	double last; /* seconds at which the last line was printed */
	bool drawn;
	bool no_block;                 /* what was found is told by a line in any case */
	struct vtb_report_style style; /* of the block on the screen */
	unsigned lines;                /* of the block on the screen that the next one replaces; 0: none */
};

/** Columns of the terminal behind `stream`; $COLUMNS, or 80 if it is none. */
unsigned vtb_progress_width(FILE *stream);

/** Take over SIGINT, SIGTERM and SIGHUP and let `opts` report to `p`, which must live as long. */
void vtb_progress_begin(struct vtb_progress *p, bool silent, struct vtb_hunt_opts *opts);
/** Take the block off the screen: another one follows. */
void vtb_progress_erase(struct vtb_progress *p);
void vtb_progress_end(struct vtb_progress *p);

#endif /* VTB_PROGRESS_H */
