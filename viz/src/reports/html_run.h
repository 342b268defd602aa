/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_run.h: the runs of a report as JSON for the page's script, src/page/page.js. Nobody else reads it.
 *
 *   { "sources": [{"first": LINE, "lines": [...]}],
 *     "runs": [{"name": ..., "differs": N,      the operation with which the runs come to differ
 *               "threads": [...], "variables": [...], "subject": [VARIABLE...],
 *               "sites": [{"place": ..., "line": ..., "text": ..., "source": N}],
 *               "events": [[THREAD, WORDS, VALUE, SITE or -1, VARIABLE or -1, FLAGS, NOTE]]}] }
 */
#ifndef VTB_VIZ_HTML_RUN_H
#define VTB_VIZ_HTML_RUN_H

#include "reporter.h"

#define HTML_EVENTS_MAX 20000u /* operations of a run on a page; browsers hold so many rows with ease */

/* Write the element that holds them. *ret_left_out: operations at the beginning that are not on the page.
 * O(events). 0 or -ENOMEM. */
int html_put_run(FILE *f, const struct report *report, size_t *ret_left_out);

#endif /* VTB_VIZ_HTML_RUN_H */
