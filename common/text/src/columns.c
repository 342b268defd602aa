/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/columns.h"

#include <string.h>

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t vtb_layout_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += starts_character(*text);
	return n;
}

static void put(FILE *to, char c)
{
	fputc((unsigned char)c < ' ' || c == 127 ? (c == '\t' ? ' ' : '?') : c, to);
}

void vtb_layout_cut(FILE *to, const char *text, size_t width, bool fill)
{
	const bool cut = vtb_layout_width(text) > width;
	const size_t room = cut && width > 3 ? width - 3 : width;
	size_t n = 0;

	for (; *text; text++) {
		n += starts_character(*text);
		if (n > room)
			break;
		put(to, *text);
	}
	n = n > room ? room : n;
	if (cut && width > 3) {
		fputs("...", to);
		n += 3;
	}
	for (; fill && n < width; n++)
		fputc(' ', to);
}

static size_t word_bytes(const char *text)
{
	return strcspn(text, " \n\t");
}

static size_t word_columns(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += starts_character(text[i]);
	return n;
}

void vtb_layout_wrap(FILE *to, const char *text, size_t column, size_t indent, size_t width)
{
	bool fresh = true; /* no word on this line yet */

	for (text += strspn(text, " \n\t"); *text; text += strspn(text, " \n\t")) {
		const size_t bytes = word_bytes(text), columns = word_columns(text, bytes);

		if (!fresh && column + 1 + columns > width) {
			fprintf(to, "\n%*s", (int)indent, "");
			column = indent;
			fresh = true;
		}
		if (!fresh)
			fputc(' ', to);
		for (size_t i = 0; i < bytes; i++)
			put(to, text[i]);
		column += columns + !fresh;
		fresh = false;
		text += bytes;
	}
	fputc('\n', to);
}

/* ---- tables */

#define LAST_LEAST 14u
#define OTHER_LEAST 10u
#define FIRST_LEAST 14u /* where the last has gone */

static size_t total(const size_t *widths)
{
	size_t n = 0;

	for (size_t c = 0; c < VTB_LAYOUT_COLUMNS; c++)
		n += widths[c] + (c && widths[c] ? 2 : 0);
	return n;
}

/* Take from column c what is too much, but leave it `least`. */
static void shrink(size_t *widths, size_t c, size_t least, size_t room)
{
	const size_t have = total(widths), excess = have > room ? have - room : 0;

	if (widths[c] > least)
		widths[c] = widths[c] - least > excess ? widths[c] - excess : least;
}

static void fit(const struct vtb_layout_row *rows, size_t n, size_t room, size_t *widths)
{
	size_t first;

	memset(widths, 0, VTB_LAYOUT_COLUMNS * sizeof(*widths));
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < VTB_LAYOUT_COLUMNS && !rows[i].note; c++)
			if (vtb_layout_width(rows[i].cell[c]) > widths[c])
				widths[c] = vtb_layout_width(rows[i].cell[c]);
	first = widths[0];
	shrink(widths, VTB_LAYOUT_COLUMNS - 1, LAST_LEAST, room);
	shrink(widths, 0, OTHER_LEAST, room);
	if (total(widths) > room) { /* a few letters of it say nothing */
		widths[VTB_LAYOUT_COLUMNS - 1] = 0;
		widths[0] = first;
		shrink(widths, 0, FIRST_LEAST, room);
	}
	shrink(widths, 1, OTHER_LEAST, room); /* never the places */
}

static size_t last_cell(const struct vtb_layout_row *row)
{
	size_t last = 0;

	for (size_t c = 0; c < VTB_LAYOUT_COLUMNS && !row->note; c++)
		last = *row->cell[c] ? c : last;
	return last;
}

static void print_row(FILE *to, const struct vtb_layout_row *row, const size_t *widths, size_t room, bool colored)
{
	const size_t last = last_cell(row);

	for (size_t c = 0; c <= last; c++) {
		if (!row->note && !widths[c])
			continue;
		fprintf(to, "%s%s", c ? "  " : "", row->style[c] ? vtb_style(colored, row->style[c]) : "");
		vtb_layout_cut(to, row->cell[c], row->note ? room : widths[c], c < last);
		if (row->style[c])
			fputs(vtb_style(colored, VTB_STYLE_PLAIN), to);
	}
	fputc('\n', to);
}

bool vtb_layout_table(FILE *to, const struct vtb_layout_row *rows, size_t n, size_t indent, size_t width, bool colored)
{
	const size_t room = width > indent ? width - indent : 1;
	size_t widths[VTB_LAYOUT_COLUMNS];

	fit(rows, n, room, widths);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "%*s", (int)indent, "");
		print_row(to, &rows[i], widths, room, colored);
	}
	for (size_t i = 0; i < n && !widths[VTB_LAYOUT_COLUMNS - 1]; i++)
		if (!rows[i].note && *rows[i].cell[VTB_LAYOUT_COLUMNS - 1])
			return false;
	return true;
}
