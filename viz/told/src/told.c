/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/told.h"

#include <inttypes.h>
#include <string.h>

#include "told_parts.h"
#include "order_table.h"
#include "report_output.h"
#include "vtb/bounded_text.h"
#include "vtb/told_words.h"
#include "vtb/report_causes.h"
#include "vtb/wire.h"
#include "vtb/words.h"

void vtb_told_search(const struct vtb_sheet *s, const struct vtb_found *f, const struct vtb_tool_options *tools,
                     bool explained)
{
	char schedules[40], classes[40], rate[40], seconds[40], diverged[80] = "", time[100];

	vtb_words_count(f->schedules, schedules, sizeof(schedules));
	vtb_words_count(f->classes, classes, sizeof(classes));
	vtb_words_count(f->msec ? f->schedules * 1000 / f->msec : 0, rate, sizeof(rate));
	vtb_words_seconds((double)f->msec / 1000, seconds, sizeof(seconds));
	if (f->diverged)
		snprintf(diverged, sizeof(diverged), "; %" PRIu64 " diverged", f->diverged);
	snprintf(time, sizeof(time), explained ? "%s with replays and cause" : "%s, %s/s", seconds, rate);
	vtb_sheet_line(s, "search", "%s schedule%s, %s%s%s%s", schedules, f->schedules == 1 ? "" : "s",
	               f->classes ? classes : "",
	               f->classes == 0   ? ""
	               : f->classes == 1 ? " class, "
	                                 : " classes, ",
	               time, diverged);
	vtb_sheet_line(s, "control", "%s tier, %s carrier, %s engine, strategy %s, seed %" PRIu64, tools->tier,
	               tools->carrier, tools->engine, tools->strategy, tools->seed);
}

static void tuple_line(const struct vtb_sheet *s, const struct vtb_told *b)
{
	char words[300], t[16];

	if (b->regardless) {
		vtb_sheet_line(s, "tuple", "none: it fails in every schedule that was tried, so no order is to blame");
		return;
	}
	vtb_report_tuple(b->run, b->tuple, words, sizeof(words));
	snprintf(t, sizeof(t), "%u", b->tuple.t);
	vtb_sheet_line(s, "tuple", "(%u,%u,%s): %s%s", b->tuple.c, b->tuple.v, b->t_known ? t : "?", words,
	               b->found.minimal ? ""
	               : b->refining    ? "; simpler orders not ruled out yet"
	                                : "; lower ones were not ruled out");
}

char *vtb_told_looks(const struct vtb_told *b, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	struct vtb_story story;
	char name[160];

	buf[0] = 0;
	if (b->regardless || b->causes->n_causes)
		return buf;
	vtb_story_find(b->run, b->tab, b->causes, &story);
	if (story.pattern == VTB_PATTERN_UNKNOWN)
		return buf;
	vtb_bounded_text_add(&t, "%s", vtb_pattern_text(story.pattern));
	if (story.var != VTB_NONE)
		vtb_bounded_text_add(&t, ": %s", vtb_words_variable(b->tab, story.var, name, sizeof(name)));
	for (size_t i = 1; i < story.n_cycle; i++)
		vtb_bounded_text_add(&t, ", %s",
		                     vtb_words_variable(b->tab, story.cycle[i].wanted.var, name, sizeof(name)));
	vtb_bounded_text_add(&t, ", as this run alone looks");
	return buf;
}

static void deviation_lines(const struct vtb_sheet *s, const struct vtb_told *b)
{
	for (size_t i = 0; i < b->schedule->n_deviations; i++) {
		char text[300];

		vtb_sheet_line(s, i ? "" : "schedule", "%s",
		               vtb_report_deviation(&b->schedule->deviations[i], b->schedule_tab, text, sizeof(text)));
	}
	if (!b->schedule->n_deviations)
		vtb_sheet_line(s, "schedule", "run-to-block, no deviation");
}

static void files_lines(const struct vtb_sheet *s, const struct vtb_told *b)
{
	if (b->replay_command)
		vtb_sheet_line(s, "replay", "%s", b->replay_command);
	if (b->failure_path)
		vtb_sheet_line(s, "files", "%s%s%s%s%s", b->failure_path, b->svg_path ? "  " : "",
		               b->svg_path ? b->svg_path : "", b->dot_path ? "  " : "", b->dot_path ? b->dot_path : "");
	if (b->trouble)
		vtb_sheet_line(s, "", "not written: %s", b->trouble);
}

/* Do these two say the same of two variables: the same threads, lines and lock? */
static bool are_alike(const struct vtb_suspicion *a, const struct vtb_suspicion *b)
{
	bool same = !strcmp(a->lock, b->lock) && a->n_places >= 2 && b->n_places >= 2;

	for (size_t i = 0; same && i < 2; i++)
		same = a->places[i].line == b->places[i].line && a->places[i].line &&
		       !strcmp(a->places[i].file, b->places[i].file) && !strcmp(a->places[i].words, b->places[i].words);
	return same;
}

/* Of those that say the same the first says it, and of which variables it is so, too. */
static bool is_told_before(const struct vtb_suspicions *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (are_alike(&all->suspicions[k], &all->suspicions[i]))
			return true;
	return false;
}

static void tell_warning(const struct vtb_sheet *s, const struct vtb_suspicions *all, size_t first)
{
	char text[2000];
	struct vtb_bounded_text t = { .buf = text, .size = sizeof(text) };
	size_t n = 0, left = 0;

	vtb_bounded_text_add(&t, "%s", all->suspicions[first].text);
	for (size_t i = first + 1; i < all->n_suspicions; i++)
		left += are_alike(&all->suspicions[first], &all->suspicions[i]);
	for (size_t i = first + 1; i < all->n_suspicions; i++)
		if (are_alike(&all->suspicions[first], &all->suspicions[i]))
			vtb_bounded_text_add(&t, "%s%s",
			                     !n++       ? "; likewise "
			                     : n < left ? ", "
			                                : " and ",
			                     all->suspicions[i].variable);
	vtb_sheet_line(s, "", "- %s", text);
}

void vtb_told_warnings(const struct vtb_sheet *s, const struct vtb_suspicions *all)
{
	size_t shown = 0, i = 0;

	if (!all->n_suspicions)
		return;
	vtb_sheet_line(s, "warning", "%zu access%s not hold the lock of %s as others do:", all->n_suspicions,
	               all->n_suspicions == 1 ? " does" : "es do",
	               all->n_suspicions == 1 ? "its variable" : "their variables");
	for (; i < all->n_suspicions && (s->verbose || shown < VTB_TOLD_SUSPECTS); i++) {
		if (is_told_before(all, i))
			continue;
		tell_warning(s, all, i);
		shown++;
	}
	for (shown = 0; i < all->n_suspicions; i++)
		shown += !is_told_before(all, i);
	if (shown)
		vtb_sheet_line(s, "", "... and %zu more, shown by -v and --json", shown);
}

void vtb_told_unseen(const struct vtb_sheet *s, char *const *unhooked)
{
	char text[2000] = "";
	struct vtb_bounded_text t = { .buf = text, .size = sizeof(text) };

	for (size_t i = 0; unhooked && unhooked[i]; i++)
		if (strchr(unhooked[i], ' ')) /* not only a module's name */
			vtb_bounded_text_add(&t, "%s%s", t.used ? ", " : "", unhooked[i]);
	if (*text)
		vtb_sheet_line(s, "not seen",
		               "%s: the compiler gave them no hook, so the operations above may leave out what matters",
		               text);
}

static bool is_first_of(const struct vtb_suspicions *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(all->suspicions[k].variable, all->suspicions[i].variable) == 0)
			return false;
	return true;
}

void vtb_told_add_warnings(const struct vtb_suspicions *all, char *text, size_t size)
{
	const size_t n = strlen(text);
	size_t variables = 0;

	for (size_t i = 0; i < all->n_suspicions; i++)
		variables += is_first_of(all, i);
	if (variables == 1)
		snprintf(text + n, size - n, "; but %s is not locked by %s everywhere", all->suspicions[0].variable,
		         all->suspicions[0].lock);
	else if (variables)
		snprintf(text + n, size - n, "; but %zu variables are not locked everywhere", variables);
}

/* Whoever reads no more than the first line is told as well. */
void vtb_told_add_files(const struct vtb_found *f, char *text, size_t size)
{
	const size_t n = strlen(text);

	if (f->mixed)
		snprintf(text + n, size - n, "%s",
		         f->unsettled ? "; files were not kept apart, and runs may have met what earlier ones left"
		                      : "; files were not kept apart");
	else if (f->unsettled)
		snprintf(text + n, size - n, "; not all that runs wrote could be kept apart");
}

static void cause_line(void *sheet, const char *name, const char *text)
{
	vtb_sheet_line(sheet, name, "%s", text);
}

/* Nobody finds the place then: places are libraries, and variables the functions whose they are. */
static void without_lines(const struct vtb_sheet *s, const struct vtb_told *b, const struct vtb_story *story)
{
	for (size_t i = 0; i < story->n_steps; i++) {
		const uint32_t site = story->steps[i].event.site;

		if (site < b->tab->n_sites && b->tab->sites[site].line)
			return;
	}
	if (story->n_steps)
		vtb_sheet_line(
		    s, "no lines",
		    "no debug information is known for these places: build the program with -g, and hunt again "
		    "to see lines and names of variables");
}

const char *vtb_told_luck(const struct vtb_exec *run)
{
	return run && run->outcome.flags & VTB_OUT_CHILDREN
	           ? ", while a child process ran or slept: when it goes on no schedule says"
	           : "";
}

void vtb_told_write(const struct vtb_sheet *s, const struct vtb_told *b)
{
	struct vtb_story story;
	char text[700];

	vtb_story_find(b->run, b->tab, b->regardless ? NULL : b->causes, &story);
	if (b->regardless)
		vtb_story_blame_nothing(&story);
	vtb_report_failure(b->run, b->tab, b->regardless, text, sizeof(text));
	vtb_told_add_files(&b->found, text, sizeof(text));
	vtb_sheet_headline(s, b->found.unsettled ? VTB_STYLE_WARN : VTB_STYLE_BAD,
	                   b->found.unsettled ? "NOTHING PROVED" : "BUG", text);
	fputc('\n', s->to);
	if (b->found.test)
		vtb_sheet_line(s, "test", "%s", b->found.test);
	tuple_line(s, b);
	if (!b->found.known)
		vtb_sheet_line(s, "proof", "%u replays failed the same way", b->confirmed);
	else if (!b->found.replays)
		vtb_sheet_line(s, "proof", "it failed so in one run; there was no time to replay that");
	else
		vtb_sheet_line(s, "proof", "%u of %u replays fail the same way%s", b->confirmed, b->found.replays,
		               b->confirmed == b->found.replays ? vtb_told_luck(b->run)
		                                                : ": the program is not deterministic under control");
	if (b->found.predicted)
		vtb_sheet_line(
		    s, "found",
		    "predicted from a run that passed, by the order in which it takes its locks; then a schedule made "
		    "for it showed it");
	if (b->first && b->found.known)
		vtb_told_search(s, &b->found, &b->tools, true);
	if (s->verbose)
		deviation_lines(s, b);
	vtb_told_timing(s, b);
	vtb_order_table(&(struct vtb_order_style){ b->tab, s->to, s->table_width, s->colored }, &story);
	without_lines(s, b, &story);
	vtb_told_threads(s, b, &story);
	vtb_told_cycle(s, b, &story);
	vtb_told_heap(s, b->heap);
	vtb_report_said(
	    &(struct vtb_output_style){ s->to, VTB_SHEET_COLUMN, s->table_width, s->colored, s->verbose > 0 }, b->said);
	if (*vtb_told_looks(b, text, sizeof(text)))
		vtb_sheet_line(s, "cause", "%s", text);
	vtb_report_causes(b->causes, s->verbose, cause_line, (void *)s);
	for (size_t i = 0; b->variants && b->variants[i]; i++)
		vtb_sheet_line(s, i ? "" : "variants", "the same cause also shows as: %s", b->variants[i]);
	vtb_told_advice(b, text, sizeof(text));
	if (*text)
		vtb_sheet_line(s, "advice", "%s", text);
	files_lines(s, b);
}
