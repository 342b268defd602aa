/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/triage.h"

#include <inttypes.h>
#include <string.h>

#include "vtb/columns.h"
#include "vtb/json.h"

#define TRIAGE_VERSION 1u

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void suspects(const struct vtb_triage *t, const struct vtb_report_style *style, FILE *to)
{
	const unsigned width = style->width ? style->width : 80;
	char text[900];

	if (!t->n_suspects)
		return;
	fprintf(to, "%sorders that tell failing runs from passing ones%s%s\n",
	        vtb_style(style->colored, VTB_STYLE_BOLD), vtb_style(style->colored, VTB_STYLE_PLAIN),
	        t->order_total ? "" : " (as far as the recordings know the order)");
	for (size_t i = 0; i < t->n_suspects; i++) {
		const struct vtb_suspect *s = &t->suspects[i];

		snprintf(text, sizeof(text), "%s: %s, then %s (%u of %u failing, %u of %u passing)", s->variable,
		         s->earlier, s->later, s->failing, t->failing, s->passing, t->passing);
		fputs("  ", to);
		vtb_layout_wrap(to, text, 2, 4, width);
	}
	fputc('\n', to);
}

static bool first_of_group(const struct vtb_triage *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (t->recordings[k].failing && t->recordings[k].verdict == t->recordings[i].verdict &&
		    strcmp(t->recordings[k].signature, t->recordings[i].signature) == 0)
			return false;
	return t->recordings[i].failing;
}

/* Those that fail in one way, together. */
static void groups(const struct vtb_triage *t, FILE *to)
{
	for (size_t i = 0; i < t->n_recordings; i++) {
		const struct vtb_triage_recording *r = &t->recordings[i];

		if (!first_of_group(t, i))
			continue;
		fprintf(to, "  %zu of them: %s\n   ", vtb_triage_alike(t, i),
		        *r->signature ? r->signature : vtb_verdict_name(r->verdict));
		for (size_t k = i; k < t->n_recordings; k++)
			if (t->recordings[k].failing && t->recordings[k].verdict == r->verdict &&
			    strcmp(t->recordings[k].signature, r->signature) == 0)
				fprintf(to, " %s", t->recordings[k].dir);
		fputc('\n', to);
	}
}

/* Instead of the hunt's block: no schedule is to blame. */
static void not_schedule(const struct vtb_triage *t, const struct vtb_report_style *style, FILE *to)
{
	const struct vtb_sheet s = vtb_sheet_of(style, to);

	vtb_sheet_headline(&s, VTB_STYLE_WARN, "NOT SCHEDULE-DEPENDENT",
	                   !t->same_order   ? "no schedule that was tried makes it fail"
	                   : t->order_total ? "runs that pass and runs that fail follow the same order"
	                                    : "as far as recordings know the order, those that pass and those that "
	                                      "fail follow the same one");
	fputc('\n', to);
	for (size_t i = 0; i < t->n_differs; i++)
		vtb_sheet_line(&s, i ? "" : "differs", "%s", t->differs[i]);
	if (!t->n_differs)
		vtb_sheet_line(&s, "differs", "nothing that vtb sees: files, other processes, the machine");
	vtb_sheet_line(&s, "search", "%" PRIu64 " schedules under control did not tell them apart",
	               t->hunt.facts.schedules);
}

void vtb_triage_report(const struct vtb_triage *t, const struct vtb_report_style *style, FILE *to)
{
	fprintf(to, "%zu recording%s: %u failed, %u passed\n", t->n_recordings, plural(t->n_recordings), t->failing,
	        t->passing);
	groups(t, to);
	fputc('\n', to);
	suspects(t, style, to);
	if (vtb_triage_not_schedule(t)) {
		not_schedule(t, style, to);
		return;
	}
	if (t->hunted) {
		vtb_hunt_report(&t->hunt, style, to);
		return;
	}
	fprintf(to, "%sCANNOT TELL%s  no recording failed: there is nothing to look for\n",
	        vtb_style(style->colored, VTB_STYLE_WARN), vtb_style(style->colored, VTB_STYLE_PLAIN));
}

static void recordings(struct vtb_json_writer *w, const struct vtb_triage *t)
{
	vtb_json_array(w, "recordings");
	for (size_t i = 0; i < t->n_recordings; i++) {
		vtb_json_object_row(w, NULL);
		vtb_json_string(w, "path", t->recordings[i].dir);
		vtb_json_bool(w, "failed", t->recordings[i].failing);
		vtb_json_string(w, "verdict", vtb_verdict_name(t->recordings[i].verdict));
		vtb_json_string(w, "signature", t->recordings[i].signature);
		vtb_json_u64(w, "events", t->recordings[i].events);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

void vtb_triage_report_json(const struct vtb_triage *t, FILE *to)
{
	static const char *const answers[] = { "cannot-tell", "fixed", "still-fails", "cannot-tell" };
	struct vtb_json_writer w;

	vtb_json_begin(&w, to);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", "vtb-triage");
	vtb_json_u64(&w, "version", TRIAGE_VERSION);
	vtb_json_string(&w, "answer",
	                vtb_triage_not_schedule(t) ? "not-schedule-dependent"
	                                           : answers[t->hunted ? t->hunt.fix.answer : 0]);
	vtb_json_bool(&w, "same_order", t->same_order);
	vtb_json_array(&w, "differs");
	for (size_t i = 0; i < t->n_differs; i++)
		vtb_json_string(&w, NULL, t->differs[i]);
	vtb_json_end(&w);
	vtb_json_u64(&w, "failing", t->failing);
	vtb_json_u64(&w, "passing", t->passing);
	recordings(&w, t);
	vtb_json_array(&w, "suspects");
	for (size_t i = 0; i < t->n_suspects; i++) {
		const struct vtb_suspect *s = &t->suspects[i];

		vtb_json_object(&w, NULL);
		vtb_json_string(&w, "variable", s->variable);
		vtb_json_string(&w, "earlier", s->earlier);
		vtb_json_string(&w, "later", s->later);
		vtb_json_u64(&w, "failing", s->failing);
		vtb_json_u64(&w, "passing", s->passing);
		vtb_json_end(&w);
	}
	vtb_json_end(&w);
	vtb_json_u64(&w, "candidates", t->n_candidates);
	vtb_json_u64(&w, "aimed", t->n_aimed);
	if (t->hunted)
		vtb_hunt_report_json_member(&t->hunt, &w, "hunt");
	else
		vtb_json_null(&w, "hunt");
	vtb_json_finish(&w);
}
