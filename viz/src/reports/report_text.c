/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict block of a failure as the hunt printed it; of other files their operations, a line each. */
#include "reporter.h"

#include "vtb/told.h"

static int write_failure(const struct report *report, const struct vtb_sheet *s)
{
	const struct vtb_failure *f = report->failure;
	struct vtb_told told;
	const int r = vtb_told_of_failure(f, report->path, &told);

	if (r < 0)
		return r;
	vtb_told_write(s, &told);
	if (s->verbose && f->statement)
		vtb_sheet_line(s, "statement", "%s", f->statement);
	vtb_told_warnings(s, &f->warnings);
	vtb_told_suspects(s, &f->suspicions, 1);
	vtb_told_fini(&told);
	return 0;
}

static void write_steps(const struct picture *p, const struct vtb_sheet *s)
{
	vtb_sheet_headline(s, p->failed ? VTB_STYLE_BAD : VTB_STYLE_PLAIN, p->failed ? "BUG" : "ORDER", p->title);
	fputc('\n', s->to);
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *cell = &p->cells[i];
		char number[16];

		if (!cell->step)
			continue;
		snprintf(number, sizeof(number), "%u", cell->step);
		vtb_sheet_line(s, number, "%s %s%s%s%s%s", p->columns[cell->column].name, cell->words,
		               *cell->place ? "  " : "", cell->place, *cell->note ? "  -- " : "", cell->note);
	}
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	FILE *plain = vtb_cli_text(f);
	const struct vtb_sheet s = vtb_sheet_of(report->style, plain);
	int r = 0;

	if (report->failure)
		r = write_failure(report, &s);
	else
		write_steps(report->picture, &s);
	fclose(plain);
	return r < 0 ? vtb_error_set(err, r, report->path, 0, "not enough memory") : 0;
}

const struct reporter reporter_text = {
	.format = { "text", "In words, as the hunt tells it (default)" },
	.write = write,
};
