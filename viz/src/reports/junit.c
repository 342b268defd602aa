/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/junit.h"

#include <errno.h>
#include <stdlib.h>

#include "picture.h"
#include "report_causes_text.h"
#include "text.h"
#include "verdict_class.h"
#include "vtb/output.h"

static void put_attribute(FILE *f, const char *name, const char *text)
{
	fprintf(f, " %s=\"", name);
	text_print_xml(f, text);
	fputc('"', f);
}

static void put_step(FILE *f, const struct picture *p, const struct cell *cell)
{
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

/* The operations, why they make it fail and what to change, stacks. */
static int put_story(FILE *f, const struct picture *p, const struct vtb_failure *failure)
{
	struct text more = { 0 };
	char *text;

	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].step)
			put_step(f, p, &p->cells[i]);
	text_add_causes(&more, failure);
	text_add_stacks(&more, failure);
	text_add_warnings(&more, failure);
	text = text_take(&more);
	if (text && *text) {
		fputc('\n', f);
		text_print_xml(f, text);
	}
	free(text);
	return text ? 0 : -ENOMEM;
}

static int put_failure(FILE *f, const struct picture *p, const struct vtb_failure *failure, bool always)
{
	const enum vtb_verdict verdict = always ? failure->trace.outcome.verdict : failure->verdict;
	int r;

	fputs(always ? "    <failure" : "    <flakyFailure", f);
	put_attribute(f, "message", p->title);
	put_attribute(f, "type", verdict_class_of(verdict).name);
	fputs(always ? ">" : ">\n      <stackTrace>", f);
	r = put_story(f, p, failure);
	fputs(always ? "</failure>\n" : "</stackTrace>\n    </flakyFailure>\n", f);
	return r;
}

static void put_said(FILE *f, const struct vtb_stream *said)
{
	if (!said->text || !*said->text)
		return;
	/* its first line, too, begins no line of the file: a CI runner would look for commands there */
	fputs(vtb_stream_is_cut(said) ? "\noutput (its end):&#10;" : "\noutput:&#10;", f);
	text_print_xml(f, said->text);
}

/* If the two are not known apart: both, in the order in which they were written. */
static void put_output(FILE *f, const struct vtb_said *said)
{
	const struct vtb_stream both = { said->text, said->size };

	put_said(f, said->out.text ? &said->out : &both);
}

static void put_errors(FILE *f, const struct vtb_failure *failures, size_t n)
{
	size_t any = 0;

	for (size_t i = 0; i < n; i++)
		any += failures[i].said.err.text && *failures[i].said.err.text;
	if (!any)
		return;
	fputs("    <system-err>", f);
	for (size_t i = 0; i < n; i++)
		put_said(f, &failures[i].said.err);
	fputs("</system-err>\n", f);
}

static void put_words(FILE *f, const struct picture *p, const struct vtb_failure *failure, bool always)
{
	if (always) {
		fputs("fails in every schedule that was tried", f);
	} else {
		fputs("FLAKY: ", f);
		text_print_xml(f, p->message);
	}
	if (failure->replay_command) {
		fputs("\nreplay: ", f);
		text_print_xml(f, failure->replay_command);
	}
	if (failure->tuple_known)
		fprintf(f, "\nverdict: %s, (c,v,t) = (%u,%u,%u)", vtb_verdict_name(failure->verdict), failure->tuple.c,
		        failure->tuple.v, failure->tuple.t);
	if (failure->statement) {
		fputs("\nstatement: ", f);
		text_print_xml(f, failure->statement);
	}
	put_output(f, &failure->said);
	fputc('\n', f);
}

static void open_case(struct vtb_junit *j, const char *name, double seconds)
{
	fputs("  <testcase", j->cases);
	put_attribute(j->cases, "name", name);
	put_attribute(j->cases, "classname", "vtb");
	fprintf(j->cases, " time=\"%.3f\">\n", seconds);
	j->tests++;
	j->seconds += seconds;
}

static bool is_always(const struct vtb_failure *f)
{
	return f->verdict == VTB_V_REGARDLESS;
}

/* The schema wants <failure> before <flakyFailure>, system-out after both, and system-err at last. */
static int put_failures(struct vtb_junit *j, const struct vtb_failure *failures, const struct picture *pictures,
                        size_t n)
{
	bool any = false;
	int r = 0;

	for (int always = 1; always >= 0; always--)
		for (size_t i = 0; i < n && r >= 0; i++) {
			any |= is_always(&failures[i]);
			if (is_always(&failures[i]) == !!always)
				r = put_failure(j->cases, &pictures[i], &failures[i], always);
		}
	j->failures += any;
	j->flakes += !any;
	fputs("    <system-out>", j->cases);
	for (size_t i = 0; i < n && r >= 0; i++)
		put_words(j->cases, &pictures[i], &failures[i], is_always(&failures[i]));
	fputs("</system-out>\n", j->cases);
	put_errors(j->cases, failures, n);
	return r;
}

int vtb_junit_failed(struct vtb_junit *j, const char *name, double seconds, const struct vtb_failure *failures,
                     size_t n)
{
	struct picture *pictures = calloc(n + 1, sizeof(*pictures));
	size_t made = 0;
	int r = pictures ? 0 : -ENOMEM;

	for (; made < n && r >= 0; made++)
		r = picture_of_trace(NULL, &failures[made], &pictures[made]);
	if (r >= 0) {
		open_case(j, name, seconds);
		r = put_failures(j, failures, pictures, n);
		fputs("  </testcase>\n", j->cases);
	}
	for (size_t i = 0; pictures && i < made; i++)
		picture_fini(&pictures[i]);
	free(pictures);
	return r;
}

void vtb_junit_ended(struct vtb_junit *j, const char *name, double seconds, enum vtb_junit_end end, const char *words)
{
	open_case(j, name, seconds);
	if (end == VTB_JUNIT_NOTHING) {
		fputs("    <skipped", j->cases);
		put_attribute(j->cases, "message", words);
		fputs("/>\n", j->cases);
		j->skipped++;
	} else if (end == VTB_JUNIT_TROUBLE) {
		fputs("    <error", j->cases);
		put_attribute(j->cases, "message", words);
		fputs(" type=\"NotHunted\"/>\n", j->cases);
		j->errors++;
	} else {
		fputs("    <system-out>", j->cases);
		text_print_xml(j->cases, words);
		fputs("</system-out>\n", j->cases);
	}
	fputs("  </testcase>\n", j->cases);
}

int vtb_junit_begin(struct vtb_junit *j)
{
	*j = (struct vtb_junit){ 0 };
	j->cases = open_memstream(&j->text, &j->size);
	return j->cases ? 0 : -ENOMEM;
}

int vtb_junit_join(struct vtb_junit *j, struct vtb_junit *other)
{
	if (fflush(other->cases) != 0)
		return -ENOMEM;
	fwrite(other->text, 1, other->size, j->cases);
	j->tests += other->tests;
	j->failures += other->failures;
	j->flakes += other->flakes;
	j->skipped += other->skipped;
	j->errors += other->errors;
	j->seconds += other->seconds;
	return 0;
}

int vtb_junit_end(struct vtb_junit *j, FILE *to)
{
	const int r = fclose(j->cases);

	j->cases = NULL;
	if (r)
		return -ENOMEM;
	fprintf(to,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"vtb\" tests=\"%zu\" errors=\"%zu\" "
	        "skipped=\"%zu\" failures=\"%zu\" flakes=\"%zu\" time=\"%.3f\">\n",
	        j->tests, j->errors, j->skipped, j->failures, j->flakes, j->seconds);
	fwrite(j->text, 1, j->size, to);
	fputs("</testsuite>\n", to);
	return 0;
}

int vtb_junit_write(struct vtb_junit *j, const char *path, struct vtb_error *err)
{
	struct vtb_output out = { 0 };
	int r = vtb_output_open(&out, path, err);

	if (r < 0)
		return r;
	r = vtb_junit_end(j, out.file);
	if (r >= 0)
		r = vtb_output_commit(&out, err);
	else
		vtb_error_set(err, r, path, 0, "not enough memory");
	vtb_output_abort(&out);
	return r;
}

void vtb_junit_fini(struct vtb_junit *j)
{
	if (j->cases)
		fclose(j->cases);
	free(j->text);
	*j = (struct vtb_junit){ 0 };
}
