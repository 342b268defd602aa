/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hunt_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "extent.h"
#include "order_table.h"
#include "report_causes.h"
#include "report_output.h"
#include "report_parts.h"
#include "story.h"
#include "words.h"

#define LABEL_COLUMN 2u
#define TEXT_COLUMN 13u

struct page {
	const struct vtb_hunt_result *result;
	const struct vtb_symtab *tab;
	FILE *to;
	unsigned width, table_width;
	bool colored;
	int verbose;
};

static void label(const struct page *p, const char *name)
{
	const int pad = (int)(TEXT_COLUMN - LABEL_COLUMN - strlen(name));

	fprintf(p->to, "%*s%s%s%s%*s", (int)LABEL_COLUMN, "", vtb_style(p->colored, VTB_STYLE_DIM), name,
	        vtb_style(p->colored, VTB_STYLE_PLAIN), pad > 0 ? pad : 1, "");
}

static void line(const struct page *p, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void line(const struct page *p, const char *name, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	label(p, name);
	vtb_layout_wrap(p->to, text, TEXT_COLUMN, TEXT_COLUMN, p->width);
}

static void headline(const struct page *p, enum vtb_style style, const char *word, const char *text)
{
	const size_t column = strlen(word) + 2;

	fprintf(p->to, "%s%s%s  ", vtb_style(p->colored, style), word, vtb_style(p->colored, VTB_STYLE_PLAIN));
	fputs(vtb_style(p->colored, VTB_STYLE_BOLD), p->to);
	vtb_layout_wrap(p->to, text, column, column, p->width);
	fputs(vtb_style(p->colored, VTB_STYLE_PLAIN), p->to);
}

static void search_line(const struct page *p)
{
	const struct vtb_hunt_facts *f = &p->result->facts;
	char schedules[40], classes[40], rate[40], seconds[40], diverged[80] = "";

	vtb_words_count(f->schedules, schedules, sizeof(schedules));
	vtb_words_count(f->classes, classes, sizeof(classes));
	vtb_words_count(f->seconds > 0 ? (uint64_t)((double)f->schedules / f->seconds) : 0, rate, sizeof(rate));
	vtb_words_seconds(f->seconds, seconds, sizeof(seconds));
	if (f->diverged)
		snprintf(diverged, sizeof(diverged), "; %" PRIu64 " diverged", f->diverged);
	line(p, "search", "%s schedule%s, %s%s%s, %s/s%s", schedules, f->schedules == 1 ? "" : "s",
	     f->classes ? classes : "",
	     f->classes == 0   ? ""
	     : f->classes == 1 ? " class, "
	                       : " classes, ",
	     seconds, rate, diverged);
	line(p, "control", "%s tier, %s carrier, %s engine, strategy %s, seed %" PRIu64, f->tier, f->carrier, f->engine,
	     f->strategy, f->seed);
}

/* Who the threads of the table are, if a library has started them or the program has named them. */
static void thread_lines(const struct page *p, const struct vtb_story *story)
{
	bool first = true;

	for (uint32_t thread = 0; thread < p->tab->n_threads; thread++) {
		char whole[400];
		bool told = false;

		for (size_t i = 0; i < story->n_steps; i++)
			told |= story->steps[i].event.thread == thread;
		if (!told || !*vtb_words_thread_whole(p->tab, thread, whole, sizeof(whole)))
			continue;
		line(p, first ? "threads" : "", "%s: %s", vtb_thread_path(p->tab, thread), whole);
		first = false;
	}
}

static void cycle_lines(const struct page *p, const struct vtb_story *story)
{
	for (size_t i = 0; i < story->n_cycle; i++) {
		const struct vtb_cycle_edge *e = &story->cycle[i];
		char waiting[80], owner[80], wanted[160], taken[160], name[160];

		vtb_words_thread(p->tab, e->wanted.thread, waiting, sizeof(waiting));
		vtb_words_thread(p->tab, e->taken.thread, owner, sizeof(owner));
		vtb_words_place(p->tab, e->wanted.site, wanted, sizeof(wanted));
		vtb_words_place(p->tab, e->taken.site, taken, sizeof(taken));
		if (e->wanted.kind == VTB_E_THREAD_JOIN)
			line(p, i ? "" : "circle", "%s waits at %s for the end of %s", waiting, wanted, owner);
		else
			line(p, i ? "" : "circle", "%s waits at %s for %s, which %s holds since %s", waiting, wanted,
			     vtb_words_variable(p->tab, e->wanted.var, name, sizeof(name)), owner, taken);
	}
}

/* Verdict memory: who made the block, gave it back, used it then. */
static void heap_lines(const struct page *p, const struct vtb_failure *failure)
{
	char thread[80], frame[400];

	for (size_t i = 0; failure && i < VTB_HEAP_PARTS; i++) {
		const struct vtb_stack *stack = &failure->heap[i];

		if (!stack->n_sites)
			continue;
		vtb_words_thread(&failure->trace.tab, stack->thread, thread, sizeof(thread));
		line(p, vtb_heap_part_name((enum vtb_heap_part)i), "in %s: %s", thread,
		     vtb_stack_frame(&failure->trace.tab, stack->sites[0], frame, sizeof(frame)));
		for (size_t k = 1; k < stack->n_sites; k++)
			line(p, "", "called by %s",
			     vtb_stack_frame(&failure->trace.tab, stack->sites[k], frame, sizeof(frame)));
	}
}

/* ---- findings */

static void tuple_line(const struct page *p, const struct vtb_finding *f)
{
	char words[300], t[16];

	if (f->regardless) {
		line(p, "tuple", "none: it fails in every schedule that was tried, so no order is to blame");
		return;
	}
	vtb_report_tuple(f, words, sizeof(words));
	snprintf(t, sizeof(t), "%u", f->tuple.t);
	line(p, "tuple", "(%u,%u,%s): %s%s", f->tuple.c, f->tuple.v, f->t_known ? t : "?", words,
	     f->minimal    ? ""
	     : f->refining ? "; simpler orders not ruled out yet"
	                   : "; lower ones were not ruled out");
}

static void pattern_line(const struct page *p, const struct vtb_story *story)
{
	char names[400];
	char name[160];
	size_t n =
	    (size_t)snprintf(names, sizeof(names), "%s",
	                     story->var == VTB_NONE ? "" : vtb_words_variable(p->tab, story->var, name, sizeof(name)));

	for (size_t i = 1; i < story->n_cycle && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s",
		                      vtb_words_variable(p->tab, story->cycle[i].wanted.var, name, sizeof(name)));
	if (story->pattern != VTB_PATTERN_UNKNOWN)
		line(p, "pattern", "%s%s%s", vtb_pattern_text(story->pattern), *names ? ": " : "", names);
}

static void deviation_lines(const struct page *p, const struct vtb_finding *f)
{
	for (size_t i = 0; i < f->schedule.n_deviations; i++) {
		char text[300];

		line(p, i ? "" : "schedule", "%s",
		     vtb_report_deviation(&f->schedule.deviations[i], p->tab, text, sizeof(text)));
	}
	if (!f->schedule.n_deviations)
		line(p, "schedule", "run-to-block, no deviation");
}

static void files_lines(const struct page *p, const struct vtb_finding *f)
{
	if (p->result->replay_command && f == p->result->findings)
		line(p, "replay", "%s", p->result->replay_command);
	if (f->failure_path)
		line(p, "files", "%s%s%s%s%s", f->failure_path, f->svg_path ? "  " : "", f->svg_path ? f->svg_path : "",
		     f->dot_path ? "  " : "", f->dot_path ? f->dot_path : "");
	if (f->trouble)
		line(p, "", "not written: %s", f->trouble);
}

/* Which waits must end too early: a program may rest on that they do not, and then the failure is no more than that. */
static void timing_lines(const struct page *p, const struct vtb_finding *f)
{
	const struct vtb_exec *x = vtb_finding_run(f);
	bool first = true;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		char place[160];

		if (!(e->flags & VTB_EVF_DEVIATED) ||
		    (e->deviation != VTB_DEV_TIMEOUT &&
		     (e->deviation != VTB_DEV_SIGNAL || !(x->outcome.flags & VTB_REPORT_TIMING))))
			continue;
		line(p, first ? "timing" : "",
		     "timing assumption at %s: the wait there ends by its deadline although other threads could run",
		     vtb_words_place(p->tab, e->site, place, sizeof(place)));
		first = false;
	}
	if (first && x->outcome.flags & VTB_REPORT_TIMING)
		line(p, "timing", "timing assumption: a deadline must pass although other threads could run");
}

#define SUSPECTS_SHOWN 4u /* unless -v */

/* Apart from what is proved, and last: nobody is to take them for bugs. */
static void suspect_lines(const struct page *p)
{
	const struct vtb_suspicions *all = &p->result->suspects;
	const size_t shown = p->verbose || all->n_suspicions <= SUSPECTS_SHOWN ? all->n_suspicions : SUSPECTS_SHOWN;

	if (!all->n_suspicions)
		return;
	if (p->result->n_findings)
		line(p, "suspects", "%zu besides, not shown to be part of the failure%s above:", all->n_suspicions,
		     p->result->n_findings == 1 ? "" : "s");
	else
		line(p, "suspects", "%zu, and no schedule that was tried fails because of %s:", all->n_suspicions,
		     all->n_suspicions == 1 ? "it" : "them");
	for (size_t i = 0; i < shown; i++)
		line(p, "", "- %s%s", all->suspicions[i].kind == VTB_SUSPECT_RACE ? "race on " : "",
		     all->suspicions[i].text);
	if (shown < all->n_suspicions)
		line(p, "", "... and %zu more, shown by -v and --json", all->n_suspicions - shown);
}

/* Whoever reads no more than the first line is told as well. */
static void add_files(const struct vtb_hunt_facts *f, char *text, size_t size)
{
	const size_t n = strlen(text);

	if (f->files && !strcmp(f->files, "plain"))
		snprintf(text + n, size - n, "%s",
		         f->unsettled ? "; files were not kept apart, and runs may have met what earlier ones left"
		                      : "; files were not kept apart");
	else if (f->unsettled)
		snprintf(text + n, size - n, "; not all that runs wrote could be kept apart");
}

static void cause_line(void *page, const char *name, const char *text)
{
	line(page, name, "%s", text);
}

static void finding(const struct page *p, const struct vtb_finding *f)
{
	struct vtb_story story;
	char text[700];

	vtb_story_find(vtb_finding_run(f), p->tab, &story);
	if (f->regardless)
		vtb_story_blame_nothing(&story);
	vtb_report_failure(vtb_finding_run(f), p->tab, f->regardless, text, sizeof(text));
	add_files(&p->result->facts, text, sizeof(text));
	headline(p, p->result->facts.unsettled ? VTB_STYLE_WARN : VTB_STYLE_BAD,
	         p->result->facts.unsettled ? "NOTHING PROVED" : "BUG", text);
	fputc('\n', p->to);
	if (f->test)
		line(p, "test", "%s", f->test);
	tuple_line(p, f);
	pattern_line(p, &story);
	if (!f->replays)
		line(p, "proof", "it failed so in one run; there was no time to replay that");
	else
		line(p, "proof", "%u of %u replays fail the same way%s", f->confirmed, f->replays,
		     f->confirmed == f->replays ? "" : ": the program is not deterministic under control");
	if (f->predicted)
		line(p, "found",
		     "predicted from a run that passed, by the order in which it takes its locks; then a schedule made "
		     "for it showed it");
	if (f == p->result->findings)
		search_line(p);
	if (p->verbose)
		deviation_lines(p, f);
	timing_lines(p, f);
	vtb_order_table(&(struct vtb_order_style){ p->tab, p->to, p->table_width, p->colored }, &story);
	thread_lines(p, &story);
	cycle_lines(p, &story);
	heap_lines(p, f->heap);
	vtb_report_said(&(struct vtb_output_style){ p->to, TEXT_COLUMN, p->table_width, p->colored, p->verbose > 0 },
	                &f->said);
	vtb_report_causes(&f->causes, p->verbose, cause_line, (void *)p);
	vtb_report_advice(p->result, f, text, sizeof(text));
	if (*text && !vtb_report_repair(&f->causes))
		line(p, "advice", "%s", text);
	files_lines(p, f);
}

static void nothing_found(const struct page *p)
{
	const struct vtb_hunt_facts *f = &p->result->facts;
	char statement[8192], text[300];

	if (p->result->verdict == VTB_V_SEQUENTIAL) {
		headline(p, VTB_STYLE_GOOD, "SEQUENTIAL",
		         "the program ran with one thread: there is nothing to reorder");
	} else if (!vtb_extent_shows(f)) {
		headline(p, VTB_STYLE_WARN, "UNDECIDED", vtb_extent_missing(f, text, sizeof(text)));
	} else {
		vtb_report_bound(f, text, sizeof(text));
		add_files(f, text, sizeof(text));
		headline(p, vtb_extent_part(f) || f->unsettled ? VTB_STYLE_WARN : VTB_STYLE_GOOD, "NONE FOUND", text);
	}
	fputc('\n', p->to);
	search_line(p);
	vtb_hunt_statement(p->result, statement, sizeof(statement));
	line(p, "statement", "%s", statement);
	suspect_lines(p);
	if (p->result->advice)
		line(p, "advice", "%s", p->result->advice);
}

static void nothing_controlled(const struct page *p)
{
	headline(p, VTB_STYLE_WARN, "NOTHING PROVED", vtb_verdict_text(p->result->verdict));
	if (p->result->advice) {
		fputc('\n', p->to);
		line(p, "advice", "%s", p->result->advice);
	}
}

static void fix_lines(const struct page *p)
{
	const struct vtb_fix *fix = &p->result->fix;
	char text[200];

	if (p->result->n_findings)
		fputc('\n', p->to);
	headline(p,
	         fix->answer == VTB_FIX_FIXED         ? VTB_STYLE_GOOD
	         : fix->answer == VTB_FIX_STILL_FAILS ? VTB_STYLE_BAD
	                                              : VTB_STYLE_WARN,
	         vtb_report_fix_word(fix->answer), vtb_report_fix(p->result, text, sizeof(text)));
	fputc('\n', p->to);
	line(p, "failure", "%s", fix->signature ? fix->signature : "?");
	line(p, "build", "%s", vtb_replay_build_words(fix->build));
	for (size_t i = 0; fix->notes && fix->notes[i]; i++)
		line(p, i ? "" : "schedule", "%s", fix->notes[i]);
	if (!p->result->n_findings)
		fputc('\n', p->to);
}

void vtb_hunt_report(const struct vtb_hunt_result *result, const struct vtb_report_style *style, FILE *to)
{
	const struct vtb_symtab empty = { 0 };
	const struct page p = { .result = result,
		                .tab = result->runner ? result->runner->tab : &empty,
		                .to = to,
		                .width = style->width < 40 ? 80 : style->width,
		                .table_width = style->whole_tables ? UINT32_MAX
		                               : style->width < 40 ? 80
		                                                   : style->width,
		                .colored = style->colored,
		                .verbose = style->verbose };
	char statement[8192];

	for (size_t i = 0; i < result->n_findings; i++) {
		if (i)
			fputc('\n', to);
		finding(&p, &result->findings[i]);
	}
	if (result->n_findings && (style->verbose || result->n_findings > 1)) {
		vtb_hunt_statement(result, statement, sizeof(statement));
		line(&p, "statement", "%s", statement);
	}
	if (result->n_findings)
		suspect_lines(&p);
	if (result->fix.answer)
		fix_lines(&p);
	if (!result->n_findings && vtb_hunt_exit_code(result) == 3 && result->verdict != VTB_V_NONE &&
	    result->verdict != VTB_V_SEQUENTIAL)
		nothing_controlled(&p);
	else if (!result->n_findings)
		nothing_found(&p);
}
