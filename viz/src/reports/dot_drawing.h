/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What report_dot.c, which draws a picture, and dot_legend.c, which explains it, share. */
#ifndef VTB_VIZ_DOT_DRAWING_H
#define VTB_VIZ_DOT_DRAWING_H

#include <stdio.h>

#include "layout.h"

#define COLOR_SWITCH "#d9480f"
#define COLOR_FAIL "#c92a2a"

struct drawing {
	const struct picture *p;
	const struct layout *l;
	FILE *f;
	unsigned notes; /* nodes without a cell, so far */
};

const char *drawing_color(int var);
/* The first n bytes of s. Graphviz drops line breaks, and takes an element without text for a mistake. */
void drawing_words(FILE *f, const char *s, size_t n);
/* The beginning of a node without a cell; the caller ends it. */
void drawing_note(struct drawing *d, double x, double y, double width, double height);
void drawing_legend(struct drawing *d);

#endif /* VTB_VIZ_DOT_DRAWING_H */
