/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/line_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define LINE_DIFF_CELLS 4000000u
#define CONTEXT 2u

struct line {
	const char *text;
	size_t size; /* with its newline */
};

struct lines {
	struct line *items;
	size_t n_items, cap_items;
};

/* What becomes of a line: ' ' stays, '-' goes, '+' comes. */
struct step {
	char what;
	struct line line;
	size_t a, b; /* lines of each text before it */
};

struct steps {
	struct step *items;
	size_t n_items, cap_items;
};

struct diff {
	struct lines a, b;
	size_t head, tail; /* lines that are equal at the beginning, at the end */
	uint32_t *length;  /* longest common subsequence of what follows, (rows + 1) * (columns + 1); NULL: too large */
	size_t rows, columns; /* lines in between */
	struct steps steps;
};

static int split(const char *text, size_t size, struct lines *ret)
{
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const size_t n = newline ? (size_t)(newline + 1 - text) : (size_t)(end - text);

		if (vtb_array_room(ret, items) < 0)
			return -1;
		ret->items[ret->n_items++] = (struct line){ text, n };
		text += n;
	}
	return 0;
}

static bool equal(const struct line *x, const struct line *y)
{
	return x->size == y->size && memcmp(x->text, y->text, x->size) == 0;
}

static void trim(struct diff *d)
{
	const size_t least = d->a.n_items < d->b.n_items ? d->a.n_items : d->b.n_items;

	while (d->head < least && equal(&d->a.items[d->head], &d->b.items[d->head]))
		d->head++;
	while (d->tail < least - d->head &&
	       equal(&d->a.items[d->a.n_items - 1 - d->tail], &d->b.items[d->b.n_items - 1 - d->tail]))
		d->tail++;
	d->rows = d->a.n_items - d->head - d->tail;
	d->columns = d->b.n_items - d->head - d->tail;
}

static uint32_t *cell(const struct diff *d, size_t row, size_t column)
{
	return &d->length[row * (d->columns + 1) + column];
}

static bool same(const struct diff *d, size_t row, size_t column)
{
	return equal(&d->a.items[d->head + row], &d->b.items[d->head + column]);
}

/* From the end: cell (i, j) is the length for the lines from i and from j on. */
static int fill(struct diff *d)
{
	if ((d->rows + 1) > LINE_DIFF_CELLS / (d->columns + 1))
		return 0;
	d->length = calloc((d->rows + 1) * (d->columns + 1), sizeof(*d->length));
	if (!d->length)
		return -1;
	for (size_t i = d->rows; i-- > 0;)
		for (size_t j = d->columns; j-- > 0;) {
			const uint32_t down = *cell(d, i + 1, j), right = *cell(d, i, j + 1);

			*cell(d, i, j) = same(d, i, j) ? *cell(d, i + 1, j + 1) + 1 : down > right ? down : right;
		}
	return 0;
}

static int step(struct diff *d, char what, size_t a, size_t b)
{
	if (vtb_array_room(&d->steps, items) < 0)
		return -1;
	d->steps.items[d->steps.n_items++] = (struct step){ what, what == '+' ? d->b.items[b] : d->a.items[a], a, b };
	return 0;
}

static int walk(struct diff *d)
{
	size_t i = 0, j = 0;
	int r = 0;

	for (size_t k = d->head > CONTEXT ? d->head - CONTEXT : 0; r == 0 && k < d->head; k++)
		r = step(d, ' ', k, k);
	while (r == 0 && (i < d->rows || j < d->columns)) {
		const size_t a = d->head + i, b = d->head + j;

		if (d->length && i < d->rows && j < d->columns && same(d, i, j)) {
			r = step(d, ' ', a, b);
			i++, j++;
		} else if (i < d->rows && (!d->length || j == d->columns || *cell(d, i + 1, j) >= *cell(d, i, j + 1))) {
			r = step(d, '-', a, b);
			i++;
		} else {
			r = step(d, '+', a, b);
			j++;
		}
	}
	for (size_t k = 0; r == 0 && k < d->tail && k < CONTEXT; k++)
		r = step(d, ' ', d->head + d->rows + k, d->head + d->columns + k);
	return r;
}

/* ---- in words */

/* The end of the hunk that begins at step `from`: behind it, more lines stay than the context of both sides. */
static size_t hunk_end(const struct steps *s, size_t from)
{
	size_t last = from;

	for (size_t i = from; i < s->n_items && i - last <= 2 * CONTEXT; i++)
		if (s->items[i].what != ' ')
			last = i;
	return last + 1 + CONTEXT < s->n_items ? last + 1 + CONTEXT : s->n_items;
}

static size_t count(const struct step *steps, size_t n, char other)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += steps[i].what != other;
	return lines;
}

static void put_range(FILE *to, char sign, size_t before, size_t n)
{
	fprintf(to, "%c%zu", sign, n ? before + 1 : before);
	if (n != 1)
		fprintf(to, ",%zu", n);
}

struct writer {
	FILE *to;
	size_t room, left_out; /* lines */
};

static bool has_room(struct writer *w)
{
	if (w->room) {
		w->room--;
		return true;
	}
	w->left_out++;
	return false;
}

static void put_step(struct writer *w, const struct step *s)
{
	if (!has_room(w))
		return;
	fputc(s->what, w->to);
	fwrite(s->line.text, 1, s->line.size, w->to);
	if (s->line.text[s->line.size - 1] != '\n')
		fputs("\n\\ No newline at end of file\n", w->to);
}

static void put_hunk(struct writer *w, const struct step *steps, size_t n)
{
	if (has_room(w)) {
		fputs("@@ ", w->to);
		put_range(w->to, '-', steps[0].a, count(steps, n, '+'));
		fputc(' ', w->to);
		put_range(w->to, '+', steps[0].b, count(steps, n, '-'));
		fputs(" @@\n", w->to);
	}
	for (size_t i = 0; i < n; i++)
		put_step(w, &steps[i]);
}

static void put_all(struct writer *w, const struct steps *s)
{
	for (size_t at = 0; at < s->n_items;) {
		size_t change = at, from, end;

		while (change < s->n_items && s->items[change].what == ' ')
			change++;
		if (change == s->n_items)
			break;
		from = change > at + CONTEXT ? change - CONTEXT : at;
		end = hunk_end(s, change);
		put_hunk(w, &s->items[from], end - from);
		at = end;
	}
	if (w->left_out)
		fprintf(w->to, "... %zu more lines\n", w->left_out);
}

char *vtb_line_diff(const char *a, size_t a_size, const char *b, size_t b_size, size_t max_lines)
{
	struct diff d = { .head = 0 };
	char *text = NULL;
	size_t size;
	struct writer w = { .room = max_lines };
	int r = split(a, a_size, &d.a) < 0 || split(b, b_size, &d.b) < 0 ? -1 : 0;

	if (r == 0) {
		trim(&d);
		r = fill(&d) < 0 || walk(&d) < 0 ? -1 : 0;
	}
	if (r == 0)
		w.to = open_memstream(&text, &size);
	if (w.to) {
		put_all(&w, &d.steps);
		if (fclose(w.to) != 0) {
			free(text);
			text = NULL;
		}
	}
	free(d.a.items);
	free(d.b.items);
	free(d.length);
	free(d.steps.items);
	return text;
}
