/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JUnit XML as Surefire extended it: a failure that depends on the schedule is a flakyFailure in a test case without
 * <failure>; one that comes in every schedule is a <failure>. The words FLAKY stand in system-out too, as few readers
 * know the element.
 */
#include <errno.h>

#include "reporter.h"
#include "text.h"
#include "verdict_class.h"

static void put_steps(FILE *f, const struct picture *p)
{
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *cell = &p->cells[i];

		if (!cell->step)
			continue;
		fprintf(f, "%3u ", cell->step);
		text_print_xml(f, p->columns[cell->column].name);
		fputs(": ", f);
		text_print_xml(f, cell->words);
		if (cell->place[0]) {
			fputs("  ", f);
			text_print_xml(f, cell->place);
		}
		if (cell->note[0]) {
			fputs("  -- ", f);
			text_print_xml(f, cell->note);
		}
		fputc('\n', f);
	}
}

static void put_attribute(FILE *f, const char *name, const char *text)
{
	fprintf(f, " %s=\"", name);
	text_print_xml(f, text);
	fputc('"', f);
}

/* What the failing run printed; both streams, in the order in which they were written. */
static void put_output(FILE *f, const struct report *report)
{
	const struct vtb_said *said = report->failure ? &report->failure->said : NULL;

	if (!said || !said->text || !*said->text)
		return;
	fputs(vtb_said_is_cut(said) ? "\noutput (its end):\n" : "\noutput:\n", f);
	text_print_xml(f, said->text);
}

static void put_flaky(FILE *f, const struct report *report, struct verdict_class class)
{
	fputs("    <flakyFailure", f);
	put_attribute(f, "message", report->picture->title);
	put_attribute(f, "type", class.name);
	fputs(">\n      <stackTrace>", f);
	put_steps(f, report->picture);
	fputs("</stackTrace>\n    </flakyFailure>\n    <system-out>FLAKY: ", f);
	text_print_xml(f, report->picture->message);
	if (report->failure && report->failure->replay_command) {
		fputs("\nreplay: ", f);
		text_print_xml(f, report->failure->replay_command);
	}
	put_output(f, report);
	fputs("</system-out>\n", f);
}

static void put_failure(FILE *f, const struct report *report, struct verdict_class class)
{
	fputs("    <failure", f);
	put_attribute(f, "message", report->picture->title);
	put_attribute(f, "type", class.name);
	fputs(">", f);
	put_steps(f, report->picture);
	fputs("</failure>\n    <system-out>fails in every schedule", f);
	put_output(f, report);
	fputs("</system-out>\n", f);
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	const struct vtb_trace *trace = report->trace;
	const char *program = trace && trace->argv && trace->argv[0] ? trace->argv[0] : "program";
	enum vtb_verdict verdict;
	bool always;

	if (!trace)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "is a schedule that has not run: there is no result to report");
	verdict = report->failure ? report->failure->verdict : trace->outcome.verdict;
	always = verdict == VTB_V_REGARDLESS;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"vtb\" tests=\"1\" errors=\"0\" "
	      "skipped=\"0\"",
	      f);
	fprintf(f, " failures=\"%d\" flakes=\"%d\" time=\"0\">\n  <testcase", always,
	        report->picture->failed && !always);
	put_attribute(f, "name", program);
	put_attribute(f, "classname", "vtb");
	fputs(" time=\"0\">\n", f);
	if (always)
		put_failure(f, report, verdict_class_of(trace->outcome.verdict));
	else if (report->picture->failed)
		put_flaky(f, report, verdict_class_of(verdict));
	fputs("  </testcase>\n</testsuite>\n", f);
	return 0;
}

const struct reporter reporter_junit = {
	.format = { "junit", "JUnit XML with flakyFailure, for CI" },
	.write = write,
};
