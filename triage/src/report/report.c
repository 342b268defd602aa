/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hunt_report.h"

#include <stdlib.h>

#include "extent.h"
#include "report_parts.h"
#include "vtb/argv.h"
#include "vtb/memory_limits.h"
#include "vtb/wire.h"

struct page {
	const struct vtb_hunt_result *result;
	struct vtb_sheet sheet;
};

/* No failure unless somebody says so, and often the first sign of one. */
static void output_line(const struct page *p)
{
	char text[200];

	if (*vtb_report_outputs(&p->result->facts, text, sizeof(text)))
		vtb_sheet_line(&p->sheet, "output", "%s", text);
}

/* Under suspects and warnings, which say that nothing orders two accesses: no more is known than what was seen. */
static void doubt(const struct page *p)
{
	const struct vtb_hunt_result *r = p->result;
	const char *library = vtb_extent_library(&r->facts);

	if (library && (r->suspects.n_suspicions || r->warnings.n_suspicions))
		vtb_sheet_line(&p->sheet, "", "(threads may meet in %s, which has no hooks: it may order them)",
		               library);
}

static void nothing_found(const struct page *p)
{
	const struct vtb_hunt_facts *f = &p->result->facts;
	const struct vtb_found found = vtb_report_found(p->result, NULL);
	const struct vtb_tool_options tools = vtb_report_tools(f);
	const struct vtb_suspicions *warnings = &p->result->warnings;
	char statement[8192], text[700];

	if (p->result->verdict == VTB_V_SEQUENTIAL) {
		vtb_sheet_headline(&p->sheet, VTB_STYLE_GOOD, "SEQUENTIAL",
		                   p->result->facts.uncontrolled
		                       ? "the program ran with one thread, and with what was not controlled"
		                       : "the program ran with one thread: there is nothing to reorder");
	} else if (!vtb_extent_shows(f)) {
		vtb_sheet_headline(&p->sheet, VTB_STYLE_WARN, "UNDECIDED", vtb_extent_missing(f, text, sizeof(text)));
	} else {
		vtb_report_bound(f, text, sizeof(text));
		vtb_told_add_files(&found, text, sizeof(text));
		vtb_told_add_warnings(warnings, text, sizeof(text));
		vtb_sheet_headline(&p->sheet,
		                   vtb_extent_part(f) || f->unsettled || warnings->n_suspicions ? VTB_STYLE_WARN
		                                                                                : VTB_STYLE_GOOD,
		                   "NONE FOUND", text);
	}
	fputc('\n', p->sheet.to);
	vtb_told_warnings(&p->sheet, warnings);
	vtb_told_search(&p->sheet, &found, &tools, false);
	vtb_hunt_statement(p->result, statement, sizeof(statement));
	vtb_sheet_line(&p->sheet, "statement", "%s", statement);
	output_line(p);
	vtb_told_suspects(&p->sheet, &p->result->suspects, 0);
	doubt(p);
	if (p->result->advice)
		vtb_sheet_line(&p->sheet, "advice", "%s", p->result->advice);
	else if (!vtb_extent_shows(f) && *vtb_memory_limits(text, sizeof(text)))
		vtb_sheet_line(&p->sheet, "advice", "%s", text);
}

static void nothing_controlled(const struct page *p)
{
	char text[700];

	vtb_sheet_headline(&p->sheet, VTB_STYLE_WARN, "NOTHING PROVED",
	                   vtb_report_nothing(p->result, text, sizeof(text)));
	if (p->result->advice) {
		fputc('\n', p->sheet.to);
		vtb_sheet_line(&p->sheet, "advice", "%s", p->result->advice);
	}
}

static void fix_lines(const struct page *p)
{
	const struct vtb_fix *fix = &p->result->fix;
	char text[200];

	if (p->result->n_findings)
		fputc('\n', p->sheet.to);
	vtb_sheet_headline(&p->sheet,
	                   fix->answer == VTB_FIX_FIXED         ? VTB_STYLE_GOOD
	                   : fix->answer == VTB_FIX_STILL_FAILS ? VTB_STYLE_BAD
	                                                        : VTB_STYLE_WARN,
	                   vtb_report_fix_word(fix->answer), vtb_report_fix(p->result, text, sizeof(text)));
	fputc('\n', p->sheet.to);
	vtb_sheet_line(&p->sheet, "failure", "%s", fix->told ? fix->told : fix->signature ? fix->signature : "?");
	vtb_sheet_line(&p->sheet, "build", "%s", vtb_replay_build_words(fix->build));
	for (size_t i = 0; fix->notes && fix->notes[i]; i++)
		vtb_sheet_line(&p->sheet, i ? "" : "schedule", "%s", fix->notes[i]);
	if (!p->result->n_findings)
		fputc('\n', p->sheet.to);
}

static void state_lines(const struct page *p)
{
	const struct vtb_hunt_state_facts *s = &p->result->facts.state;
	char text[300];

	if (s->answered)
		vtb_sheet_line(&p->sheet, "resumed", "%s", vtb_report_resumed(s, text, sizeof(text)));
	if (s->trouble[0])
		vtb_sheet_line(&p->sheet, "state", "what was run last is not kept: %s%s", s->trouble,
		               s->full ? " (--max-disk)" : "");
	if (s->dir && s->open) {
		char *words = NULL;
		size_t size;
		FILE *to = open_memstream(&words, &size);

		if (to)
			vtb_argv_put_word(to, s->dir);
		if (to && fclose(to) == 0)
			vtb_sheet_line(&p->sheet, "resume", "vtb resume %s", words);
		free(words);
	}
}

/* A failure whose cause no order of what is seen shows may be due to what is not. */
static void unseen_lines(const struct page *p)
{
	bool open = false;

	for (size_t i = 0; i < p->result->n_findings; i++)
		open |= !p->result->findings[i].regardless && !p->result->findings[i].causes.n_causes;
	if (open && p->result->facts.untold)
		vtb_told_unseen(&p->sheet, p->result->facts.unhooked);
	if (p->result->facts.uncontrolled & VTB_UNC_ALIAS)
		vtb_sheet_line(
		    &p->sheet, "not seen",
		    "memory that was at two addresses, or a file that was read or written, too, counts as two: the "
		    "operations above may leave out what was done to the other");
}

void vtb_hunt_report(const struct vtb_hunt_result *result, const struct vtb_report_style *style, FILE *to)
{
	const struct page p = { .result = result, .sheet = vtb_sheet_of(style, to) };
	struct vtb_told told;
	char statement[8192];

	for (size_t i = 0; i < result->n_findings; i++) {
		if (result->findings[i].variant_of) /* told with the finding whose cause it has */
			continue;
		if (i)
			fputc('\n', to);
		told = vtb_report_told(result, &result->findings[i]);
		vtb_told_write(&p.sheet, &told);
	}
	if (result->n_findings && (style->verbose || result->n_findings > 1)) {
		vtb_hunt_statement(result, statement, sizeof(statement));
		vtb_sheet_line(&p.sheet, "statement", "%s", statement);
	}
	if (result->n_findings)
		output_line(&p);
	if (result->n_findings) {
		unseen_lines(&p);
		vtb_told_warnings(&p.sheet, &result->warnings);
		vtb_told_suspects(&p.sheet, &result->suspects, result->n_findings);
		doubt(&p);
	}
	if (result->fix.answer)
		fix_lines(&p);
	if (!result->n_findings && vtb_hunt_exit_code(result) == 3 && result->verdict != VTB_V_NONE &&
	    result->verdict != VTB_V_SEQUENTIAL)
		nothing_controlled(&p);
	else if (!result->n_findings)
		nothing_found(&p);
	state_lines(&p);
}
