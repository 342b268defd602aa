/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h: where each part of a picture stands, in points; x to the right, y downwards. */
#ifndef VTB_VIZ_LAYOUT_H
#define VTB_VIZ_LAYOUT_H

#include "picture.h"

#define LAYOUT_MARGIN 34.0 /* left of the first column: step numbers */
#define LAYOUT_HEAD 40.0   /* height of a column's head */
#define LAYOUT_STRIP 6.0   /* coloured strip of a cell: its variable */
#define LAYOUT_PILL_WIDTH 52.0
#define LAYOUT_PILL_HEIGHT 16.0

struct box {
	double x, y, width, height;          /* upper left corner and size */
	char *words, *source, *place, *note; /* wrapped, lines separated by '\n'; owned */
};

struct layout {
	double width, height;             /* of everything */
	double title_y;                   /* top of the title; lines of it below */
	char *title, *message, *subtitle; /* wrapped; owned */
	double head_y;
	double column_width, column_step;
	struct box *boxes; /* one a cell */
	double *bottoms;   /* of each column's life line */
	double legend_y;
};

int layout_of(const struct picture *p, struct layout *ret);
void layout_fini(struct layout *l, const struct picture *p);

double layout_column_x(const struct layout *l, uint32_t column); /* left edge */
size_t layout_lines(const char *wrapped);

#endif /* VTB_VIZ_LAYOUT_H */
