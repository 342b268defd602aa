/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_output.h"

#include <stdbool.h>
#include <string.h>

#include "columns.h"

#define LINES_SHOWN 8u /* unless all are asked for */
#define LINE_MAX_BYTES 1024u

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		n++;
	return n;
}

static const char *skip_lines(const char *text, size_t n)
{
	for (; n && *text; n--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* The first line of a member of the block has its name before it. */
static void begin_line(const struct vtb_output_style *style, bool first)
{
	static const char name[] = "output";

	if (first)
		fprintf(style->to, "  %s%s%s%*s", vtb_style(style->colored, VTB_STYLE_DIM), name,
		        vtb_style(style->colored, VTB_STYLE_PLAIN), (int)(style->column - 2 - (sizeof(name) - 1)), "");
	else
		fprintf(style->to, "%*s", (int)style->column, "");
}

static void put_line(const struct vtb_output_style *style, const char *text, size_t n)
{
	char line[LINE_MAX_BYTES];
	const size_t room = style->width > style->column ? style->width - style->column : 1;

	n = n < sizeof(line) ? n : sizeof(line) - 1;
	memcpy(line, text, n);
	line[n] = 0;
	vtb_layout_cut(style->to, line, room, false);
	fputc('\n', style->to);
}

void vtb_report_said(const struct vtb_output_style *style, const struct vtb_said *said)
{
	const size_t n = said->text ? count_lines(said->text) : 0;
	const size_t skipped = style->whole || n <= LINES_SHOWN ? 0 : n - LINES_SHOWN;
	const char *text = said->text ? skip_lines(said->text, skipped) : "";
	bool first = true;

	if (skipped || (n && vtb_said_is_cut(said))) {
		begin_line(style, first);
		fprintf(style->to, "%s... (%zu%s lines before, with -v%s)%s\n",
		        vtb_style(style->colored, VTB_STYLE_DIM), skipped, vtb_said_is_cut(said) ? " and more" : "",
		        vtb_said_is_cut(said) ? " and --whole-output" : "", vtb_style(style->colored, VTB_STYLE_PLAIN));
		first = false;
	}
	for (; *text; text = skip_lines(text, 1)) {
		begin_line(style, first);
		put_line(style, text, strcspn(text, "\n"));
		first = false;
	}
}
