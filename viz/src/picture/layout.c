/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are as high as their highest cell. The widths of characters are guesses on the safe side, as the font of whoever
 * looks at the picture is not known: bold 10 points 6.1, typewriter 8.5 points 5.2, small 8 points 4.5.
 */
#include "layout.h"

#include <errno.h>
#include <stdlib.h>

#include "text.h"

#define WORDS_CHAR 6.1
#define SOURCE_CHAR 5.3
#define PLACE_CHAR 4.6
#define TITLE_CHAR 8.0
#define WORDS_LINE 12.2
#define SOURCE_LINE 10.4
#define PLACE_LINE 9.7
#define PADDING 9.0 /* above and below the text of a cell, together */
#define INSET 22.0  /* strip and air beside it */
#define ROW_GAP 9.0
#define FOLD_HEIGHT 17.0
#define TITLE_LINE 18.0
#define MESSAGE_LINE 14.0

size_t layout_lines(const char *wrapped)
{
	size_t n = wrapped[0] != '\0';

	for (; *wrapped; wrapped++)
		n += *wrapped == '\n';
	return n;
}

static char *wrap(const char *s, double width, double char_width, size_t lines)
{
	struct text t = { 0 };

	text_add_wrapped(&t, s ? s : "", (size_t)(width / char_width), lines);
	return text_take(&t);
}

double layout_column_x(const struct layout *l, uint32_t column)
{
	return LAYOUT_MARGIN + column * l->column_step;
}

/* Few columns may be wide; many must share. */
static void size_columns(const struct picture *p, struct layout *l)
{
	l->column_width = p->n_columns <= 3 ? 270 : p->n_columns <= 5 ? 236 : 204;
	l->column_step = l->column_width + (p->n_columns <= 5 ? 78 : 66);
	l->width = LAYOUT_MARGIN +
	           (p->n_columns ? (double)p->n_columns * l->column_step - (l->column_step - l->column_width) : 0);
	if (l->width < 560)
		l->width = 560;
}

static int size_titles(const struct picture *p, struct layout *l)
{
	double y = 0;

	l->title = wrap(p->title, l->width, TITLE_CHAR, 4);
	l->message = wrap(p->message, l->width, WORDS_CHAR, 3);
	l->subtitle = wrap(p->subtitle, l->width, 5.4, 2);
	if (!l->title || !l->message || !l->subtitle)
		return -ENOMEM;
	l->title_y = y;
	y += (double)layout_lines(l->title) * TITLE_LINE + (double)layout_lines(l->message) * MESSAGE_LINE +
	     (double)layout_lines(l->subtitle) * 12.0;
	l->head_y = y + 18;
	return 0;
}

static int size_box(const struct layout *l, const struct cell *cell, struct box *box)
{
	const double inner = l->column_width - INSET;

	box->width = l->column_width;
	if (cell->kind == CELL_FOLD) {
		box->words = wrap(cell->words, inner, PLACE_CHAR, 1);
		box->source = wrap("", inner, 1, 1);
		box->place = wrap("", inner, 1, 1);
		box->note = wrap("", inner, 1, 1);
		box->height = FOLD_HEIGHT;
	} else {
		box->words = wrap(cell->words, inner, WORDS_CHAR, 3);
		box->source = wrap(cell->source, inner, SOURCE_CHAR, 2);
		box->place = wrap(cell->place, inner, PLACE_CHAR, 2);
		box->note = wrap(cell->note, inner, PLACE_CHAR + 0.2, 4);
	}
	if (!box->words || !box->source || !box->place || !box->note)
		return -ENOMEM;
	if (cell->kind != CELL_FOLD)
		box->height = PADDING + (double)layout_lines(box->words) * WORDS_LINE +
		              (double)layout_lines(box->source) * SOURCE_LINE +
		              (double)(layout_lines(box->place) + layout_lines(box->note)) * PLACE_LINE;
	return 0;
}

/* Tops of the rows from their heights; *bottom is where the last one ends. */
static void stack_rows(const struct layout *l, double *heights, double *tops, uint32_t n, double *bottom)
{
	double y = l->head_y + LAYOUT_HEAD + ROW_GAP + 4;

	for (uint32_t row = 0; row < n; row++) {
		tops[row] = y;
		y += heights[row] + ROW_GAP;
	}
	*bottom = y;
}

/* Boxes of one row stand side by side, centred on it. */
static int place_boxes(const struct picture *p, struct layout *l)
{
	double *heights = calloc(2 * (p->n_rows + 1u), sizeof(*heights)), *tops = heights + p->n_rows + 1, bottom;

	if (!heights)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_cells; i++)
		if (l->boxes[i].height > heights[p->cells[i].row])
			heights[p->cells[i].row] = l->boxes[i].height;
	stack_rows(l, heights, tops, p->n_rows, &bottom);
	for (size_t i = 0; i < p->n_cells; i++) {
		struct box *box = &l->boxes[i];
		const struct cell *cell = &p->cells[i];

		box->x = layout_column_x(l, cell->column);
		box->y = tops[cell->row] + (heights[cell->row] - box->height) / 2;
		if (l->bottoms[cell->column] < box->y + box->height)
			l->bottoms[cell->column] = box->y + box->height;
	}
	l->legend_y = bottom + 10;
	l->height = l->legend_y + 40;
	free(heights);
	return 0;
}

int layout_of(const struct picture *p, struct layout *ret)
{
	struct layout l = { .boxes = calloc(p->n_cells + 1, sizeof(*l.boxes)),
		            .bottoms = calloc(p->n_columns + 1, sizeof(*l.bottoms)) };
	int r = l.boxes && l.bottoms ? 0 : -ENOMEM;

	size_columns(p, &l);
	if (r >= 0)
		r = size_titles(p, &l);
	for (size_t i = 0; r >= 0 && i < p->n_cells; i++)
		r = size_box(&l, &p->cells[i], &l.boxes[i]);
	if (r >= 0)
		r = place_boxes(p, &l);
	if (r < 0)
		layout_fini(&l, p);
	else
		*ret = l;
	return r;
}

void layout_fini(struct layout *l, const struct picture *p)
{
	for (size_t i = 0; l->boxes && i < p->n_cells; i++) {
		free(l->boxes[i].words);
		free(l->boxes[i].source);
		free(l->boxes[i].place);
		free(l->boxes[i].note);
	}
	free(l->boxes);
	free(l->bottoms);
	free(l->title);
	free(l->message);
	free(l->subtitle);
	*l = (struct layout){ 0 };
}
