/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt_report.h
 * A hunt's result in words: the verdict block for people, one JSON object for programs (docs/format/hunt.md), the
 * progress line.
 *
 * Ownership: texts are written to a stream of the caller's, or into his buffer.
 * Errors:    what the stream reports; nothing else can fail.
 * Width:     lines are at most `width` columns, as long as no single word is longer. Control characters of the
 * program's own words become '?'.
 */
#ifndef VTB_HUNT_REPORT_H
#define VTB_HUNT_REPORT_H

#include <stdio.h>

#include "vtb/hunt.h"
#include "vtb/json.h"
#include "vtb/sheet.h"

/** The block that ends every hunt. */
void vtb_hunt_report(const struct vtb_hunt_result *result, const struct vtb_report_style *style, FILE *to);

/** One line per finding and nothing else, for -q. */
void vtb_hunt_report_short(const struct vtb_hunt_result *result, FILE *to);

/** The object described in docs/format/hunt.md. */
void vtb_hunt_report_json(const struct vtb_hunt_result *result, FILE *to);
/** The same as a member of an object that is being written. */
void vtb_hunt_report_json_member(const struct vtb_hunt_result *result, struct vtb_json_writer *w, const char *key);

/** The statement: what was run, within which bound, resting on what. Sentences in one line. Returns `buf`. */
char *vtb_hunt_statement(const struct vtb_hunt_result *result, char *buf, size_t size);

/** What was found, how often it was replayed, and what follows: one line. Returns `buf`. */
char *vtb_hunt_found_line(const struct vtb_hunt_result *result, const struct vtb_finding *f, double seconds, char *buf,
                          size_t size);

/** "search   c = 1, v = 1   12,345 schedules   3,211/s   4 s": at most `width` columns. Returns `buf`. */
char *vtb_hunt_progress_line(const struct vtb_hunt_progress *progress, unsigned width, char *buf, size_t size);

#endif /* VTB_HUNT_REPORT_H */
