/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file sheet.h
 * What the verdict block is written on: a headline, and lines that begin with a label.
 *
 * Width: lines are at most `width` columns, as long as no single word is longer. Control characters of the program's
 * own words become '?'.
 */
#ifndef VTB_SHEET_H
#define VTB_SHEET_H

#include <stdio.h>

#include "vtb/cli.h"

#define VTB_SHEET_COLUMN 13u /* at which the text of lines begins */

struct vtb_report_style {
	bool colored;
	unsigned width;    /* columns; 0: 80 */
	bool whole_tables; /* rows of tables are not cut to them: nobody looks at it on a terminal */
	int verbose;       /* 1: the whole statement under a find as well, and every deviation of the schedule */
};

struct vtb_sheet {
	FILE *to;
	unsigned width, table_width;
	bool colored;
	int verbose;
};

struct vtb_sheet vtb_sheet_of(const struct vtb_report_style *style, FILE *to);

/** A line of its own: "name     text"; "" goes on with the line before. Text above 4 KB is cut. */
void vtb_sheet_line(const struct vtb_sheet *s, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** "BUG  text". */
void vtb_sheet_headline(const struct vtb_sheet *s, enum vtb_style style, const char *word, const char *text);

#endif /* VTB_SHEET_H */
