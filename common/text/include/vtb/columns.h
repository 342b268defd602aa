/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file columns.h
 * Text in columns for terminals: width of UTF-8 text, cutting, wrapping, tables whose widest columns give way.
 */
#ifndef VTB_LAYOUT_H
#define VTB_LAYOUT_H

#include <stdio.h>

#include "vtb/cli.h"

/** Columns that the text takes: one a character (wide and combining characters are not told apart). */
size_t vtb_layout_width(const char *text);

/** Print at most `width` columns of the text, ending in "..." if it was cut, filled up with blanks if `fill`. Control
 * characters print as '?'. */
void vtb_layout_cut(FILE *to, const char *text, size_t width, bool fill);

/** Print the text from column `column` on, broken at blanks so that no line passes `width`; later lines begin at
 * `indent`. Ends the line. */
void vtb_layout_wrap(FILE *to, const char *text, size_t column, size_t indent, size_t width);

#define VTB_LAYOUT_COLUMNS 4

struct vtb_layout_row {
	char cell[VTB_LAYOUT_COLUMNS][256];
	enum vtb_style style[VTB_LAYOUT_COLUMNS];
	bool note; /* only cell[0], over the whole width */
};

/** Print rows with two blanks between columns, `indent` blanks before them. If the table is too wide, the last column
 * is cut first, then the second and the first; the third, of places, never is.
 * False: the last column had to be left out. */
bool vtb_layout_table(FILE *to, const struct vtb_layout_row *rows, size_t n, size_t indent, size_t width, bool colored);

#endif /* VTB_LAYOUT_H */
