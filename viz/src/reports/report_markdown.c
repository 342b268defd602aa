/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GitHub-flavoured Markdown: the interleaving as a table, one column a thread. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "reporter.h"
#include "report_causes_text.h"
#include "text.h"
#include "vtb/plain.h"
#include "vtb/report_causes.h"
#include "vtb/told.h"

/* Inside a table cell: no line breaks, no bars, nothing that Markdown or HTML would take for itself. */
static void put(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("\\`*_{}[]<>#|~", *s) || (*s == '&' && (s[1] == '#' || isalpha((unsigned char)s[1]))))
			fputc('\\', f);
		fputc((unsigned char)*s < 0x20 ? ' ' : *s, f);
	}
}

/* A code span; backticks inside become apostrophes, bars are escaped because table cells end at them. */
static void put_code(FILE *f, const char *s)
{
	fputc('`', f);
	for (; *s; s++)
		if (*s == '|')
			fputs("\\|", f);
		else
			fputc(*s == '`' ? '\'' : (unsigned char)*s < 0x20 ? ' ' : *s, f);
	fputc('`', f);
}

static void put_cell(FILE *f, const struct cell *cell)
{
	const bool bad = cell->kind == CELL_FAILS || cell->kind == CELL_WAITS;

	fputs(bad ? "\u274c **" : cell->kind == CELL_FOLD ? "*" : "", f);
	put(f, cell->words);
	fputs(bad ? "**" : cell->kind == CELL_FOLD ? "*" : "", f);
	if (cell->source[0]) {
		fputs("<br>", f);
		put_code(f, cell->source);
	}
	if (cell->place[0]) {
		fputs("<br>", f);
		put(f, cell->place);
	}
	if (cell->note[0]) {
		fputs("<br>**", f);
		put(f, cell->note);
		fputs("**", f);
	}
}

static void put_switches(FILE *f, const struct picture *p, const struct cell *cell)
{
	for (size_t i = 0; i < p->n_arrows; i++)
		if (p->arrows[i].kind == ARROW_SWITCH && p->arrows[i].from == (size_t)(cell - p->cells)) {
			fputs("<br>\u27a1 **", f);
			put(f, p->arrows[i].label);
			fputs("** to ", f);
			put(f, p->columns[p->cells[p->arrows[i].to].column].name);
		}
}

static void put_row(FILE *f, const struct picture *p, uint32_t row)
{
	uint32_t step = 0;

	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].row == row && p->cells[i].step)
			step = p->cells[i].step;
	fputs("| ", f);
	if (step)
		fprintf(f, "%u", step);
	for (uint32_t column = 0; column < p->n_columns; column++) {
		fputs(" | ", f);
		for (size_t i = 0; i < p->n_cells; i++)
			if (p->cells[i].row == row && p->cells[i].column == column) {
				put_cell(f, &p->cells[i]);
				put_switches(f, p, &p->cells[i]);
			}
	}
	fputs(" |\n", f);
}

static void put_table(FILE *f, const struct picture *p)
{
	fputs("| # |", f);
	for (uint32_t i = 0; i < p->n_columns; i++) {
		fputc(' ', f);
		put(f, p->columns[i].name);
		if (p->columns[i].start[0]) {
			fputs("<br>", f);
			put_code(f, p->columns[i].start);
		}
		fputs(" |", f);
	}
	fputs("\n|--:|", f);
	for (uint32_t i = 0; i < p->n_columns; i++)
		fputs("---|", f);
	fputc('\n', f);
	for (uint32_t row = 0; row < p->n_rows; row++)
		put_row(f, p, row);
}

static void put_heap(FILE *f, const struct vtb_failure *failure)
{
	char frame[400];

	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++) {
		const struct vtb_stack *stack = &failure->heap[i];

		if (!stack->n_sites)
			continue;
		fprintf(f, "\nThe block was %s in thread %s:\n\n", vtb_heap_part_name(i),
		        vtb_thread_path(&failure->trace.tab, stack->thread));
		for (size_t k = 0; k < stack->n_sites; k++) {
			fputs("- ", f);
			put(f, vtb_stack_frame(&failure->trace.tab, stack->sites[k], frame, sizeof(frame)));
			fputc('\n', f);
		}
	}
}

/* Indented code ends where its line ends. */
static void put_line(FILE *f, const char *s)
{
	for (; *s; s++)
		fputc(*s == '\n' ? ' ' : *s, f);
	fputc('\n', f);
}

/* Indented code, which nothing in it can end. */
static void put_indented(FILE *f, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");

		fputs("    ", f);
		for (size_t i = 0; i < n; i++)
			fputc(text[i] == '\r' ? '?' : text[i], f);
		fputc('\n', f);
		text += n + (text[n] == '\n');
	}
}

static void put_output(FILE *f, const struct vtb_said *said)
{
	struct vtb_said_part parts[2];
	const size_t n = vtb_said_parts(said, parts);

	for (size_t i = 0; i < n; i++) {
		fprintf(f, "\n%s of the run%s:\n\n", parts[i].title,
		        vtb_stream_is_cut(&parts[i].stream) ? ", its end" : "");
		put_indented(f, parts[i].stream.text);
	}
}

/* Why, and what to change, in the words of the verdict block. */
static void put_cause_line(void *to, const char *label, const char *text)
{
	FILE *f = to;

	if (*label)
		fprintf(f, "\n**%s:** ", label);
	else
		fputs("\n- ", f);
	put(f, text);
	fputc('\n', f);
}

static void put_causes(FILE *f, const struct vtb_failure *failure)
{
	char looks[800], advice[2048];

	vtb_told_why(failure, looks, sizeof(looks), advice, sizeof(advice));
	if (*looks)
		put_cause_line(f, "cause", looks);
	vtb_report_causes(&failure->causes, 1, put_cause_line, f);
	if (*advice)
		put_cause_line(f, "advice", advice);
	for (size_t i = 0; failure->variants && failure->variants[i]; i++)
		put_cause_line(f, "the same cause also shows as", failure->variants[i]);
}

static void put_warnings(FILE *f, const struct vtb_suspicions *all)
{
	for (size_t i = 0; i < all->n_suspicions; i++)
		put_cause_line(f, "warning", all->suspicions[i].text);
}

static void put_facts(FILE *f, const struct vtb_failure *failure)
{
	fprintf(f, "\nVerdict `%s`", vtb_verdict_name(failure->verdict));
	if (failure->tuple_known)
		fprintf(f, ", (c,v,t) = (%u,%u,%u)", failure->tuple.c, failure->tuple.v, failure->tuple.t);
	if (*cause_class(failure)) {
		fputs(", ", f);
		put(f, cause_class(failure));
	}
	fputs(".\n", f);
}

static void put_replay(FILE *f, const struct vtb_failure *failure)
{
	if (failure->confirmed)
		fprintf(f, "\nConfirmed by %u replays with the same signature.\n", failure->confirmed);
	if (failure->replay_command) {
		fputs("\nReplay it:\n\n    ", f);
		put_line(f, failure->replay_command);
	}
	if (failure->statement) {
		fputc('\n', f);
		put(f, failure->statement);
		fputc('\n', f);
	}
}

static void put_report(const struct report *report, FILE *f)
{
	const struct picture *p = report->picture;

	fputs("## ", f);
	put(f, p->title);
	fputs("\n\n", f);
	if (p->message[0]) {
		fputs("> ", f);
		put(f, p->message);
		fputs("\n\n", f);
	}
	put(f, p->subtitle);
	fputs("\n\n", f);
	if (p->n_columns)
		put_table(f, p);
	if (p->partial_order)
		fputs("\nBetween threads, rows are ordered only as far as locks and joins order them.\n", f);
	if (!report->failure)
		return;
	put_facts(f, report->failure);
	put_causes(f, report->failure);
	put_warnings(f, &report->failure->warnings);
	put_heap(f, report->failure);
	put_output(f, &report->failure->said);
	put_replay(f, report->failure);
}

static int write(const struct report *report, FILE *to, struct vtb_error *err)
{
	FILE *f = vtb_plain_stream(to);

	if (!f)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	put_report(report, f);
	fclose(f);
	return 0;
}

const struct reporter reporter_markdown = {
	.format = { "markdown", "the interleaving as a Markdown table, for issues and CI summaries" },
	.write = write,
};
