/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_output.h"

#include <stdbool.h>
#include <string.h>

#include "vtb/columns.h"

#define LINES_SHOWN 8u /* unless all are asked for */
#define LINE_MAX_BYTES 1024u

#define DIFF_LINES_SHOWN 20u

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

/* "-" is what was expected. */
static void put_diff(const struct vtb_output_style *style, const char *diff)
{
	const size_t n = count_lines(diff), shown = style->whole || n <= DIFF_LINES_SHOWN ? n : DIFF_LINES_SHOWN;

	begin_line(style, true);
	fputs("differs from what is expected (-) by this (+):\n", style->to);
	for (size_t i = 0; i < shown; i++, diff = skip_lines(diff, 1)) {
		begin_line(style, false);
		put_line(style, diff, strcspn(diff, "\n"));
	}
	if (shown < n) {
		begin_line(style, false);
		fprintf(style->to, "... (%zu lines more, with -v)\n", n - shown);
	}
}

void vtb_report_said(const struct vtb_output_style *style, const struct vtb_said *said)
{
	const size_t n = said->text ? count_lines(said->text) : 0;
	const size_t skipped = style->whole || n <= LINES_SHOWN ? 0 : n - LINES_SHOWN;
	const char *text = said->text ? skip_lines(said->text, skipped) : "";
	bool first = true;

	if (said->diff) {
		put_diff(style, said->diff);
		return;
	}
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
