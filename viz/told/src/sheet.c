/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/sheet.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "vtb/columns.h"

#define LABEL_COLUMN 2u

struct vtb_sheet vtb_sheet_of(const struct vtb_report_style *style, FILE *to)
{
	const unsigned width = style->width < 40 ? 80 : style->width;

	return (struct vtb_sheet){ .to = to,
		                   .width = width,
		                   .table_width = style->whole_tables ? UINT32_MAX : width,
		                   .colored = style->colored,
		                   .verbose = style->verbose };
}

static void label(const struct vtb_sheet *s, const char *name)
{
	const int pad = (int)(VTB_SHEET_COLUMN - LABEL_COLUMN - strlen(name));

	fprintf(s->to, "%*s%s%s%s%*s", (int)LABEL_COLUMN, "", vtb_style(s->colored, VTB_STYLE_DIM), name,
	        vtb_style(s->colored, VTB_STYLE_PLAIN), pad > 0 ? pad : 1, "");
}

void vtb_sheet_line(const struct vtb_sheet *s, const char *name, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	label(s, name);
	vtb_layout_wrap(s->to, text, VTB_SHEET_COLUMN, VTB_SHEET_COLUMN, s->width);
}

void vtb_sheet_headline(const struct vtb_sheet *s, enum vtb_style style, const char *word, const char *text)
{
	const size_t column = strlen(word) + 2;

	fprintf(s->to, "%s%s%s  ", vtb_style(s->colored, style), word, vtb_style(s->colored, VTB_STYLE_PLAIN));
	fputs(vtb_style(s->colored, VTB_STYLE_BOLD), s->to);
	vtb_layout_wrap(s->to, text, column, column, s->width);
	fputs(vtb_style(s->colored, VTB_STYLE_PLAIN), s->to);
}
