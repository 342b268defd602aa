/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "order_table.h"

#include <stdio.h>
#include <string.h>

#include "vtb/bounded_text.h"
#include "vtb/told_words.h"
#include "vtb/columns.h"
#include "vtb/short_name.h"
#include "vtb/words.h"

/* What functions of containers do to what they are called on. Others "read" and "write" it. */
static const struct {
	const char *function, *verb;
} library_verbs[] = {
	{ "push_back", "pushes to" },
	{ "push_front", "pushes to" },
	{ "push", "pushes to" },
	{ "emplace_back", "pushes to" },
	{ "emplace_front", "pushes to" },
	{ "pop_back", "pops from" },
	{ "pop_front", "pops from" },
	{ "pop", "pops from" },
	{ "insert", "inserts into" },
	{ "emplace", "inserts into" },
	{ "try_emplace", "inserts into" },
	{ "insert_or_assign", "inserts into" },
	{ "erase", "erases from" },
	{ "remove", "erases from" },
	{ "clear", "clears" },
	{ "find", "looks into" },
	{ "count", "looks into" },
	{ "contains", "looks into" },
	{ "empty", "asks the size of" },
	{ "size", "asks the size of" },
	{ "front", "looks into" },
	{ "back", "looks into" },
	{ "begin", "goes through" },
	{ "end", "goes through" },
	{ "resize", "changes the size of" },
	{ "reserve", "changes the size of" },
};

/* NULL: none of them. */
static const char *library_verb(const char *via)
{
	const char *colons = strrchr(via, ':'), *function = colons ? colons + 1 : via;

	for (size_t i = 0; i < sizeof(library_verbs) / sizeof(*library_verbs); i++)
		if (strcmp(function, library_verbs[i].function) == 0)
			return library_verbs[i].verb;
	return NULL;
}

static bool is_data(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC ||
	                info->family == VTB_FAMILY_HEAP);
}

/* Does another thread act between two parts of this call? Then it matters which part is which. */
static bool is_split(const struct vtb_story *story, size_t at)
{
	const struct vtb_event *e = &story->steps[at].event;

	for (size_t i = 0; i < story->n_steps; i++) {
		const size_t lo = i < at ? i : at, hi = i < at ? at : i;

		if (i == at || story->steps[i].event.thread != e->thread || story->steps[i].event.site != e->site)
			continue;
		for (size_t k = lo; k < hi; k++)
			if (story->steps[k].preempted || story->steps[k].event.thread != e->thread)
				return true;
	}
	return false;
}

/* "pushes to pool.queue_ (deque::push_back)", "reads data = 0". */
static void what_text(const struct vtb_symtab *tab, const struct vtb_story *story, size_t at, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	const struct vtb_step *step = &story->steps[at];
	const struct vtb_event *e = &step->event;
	const bool pending = step->role == VTB_STEP_PENDING;
	const char *verb = vtb_words_verb(e, pending), *name = vtb_variable_name(tab, e->var), *own;
	char object[200], via[160] = "";

	vtb_words_object(e, tab, object, sizeof(object));
	if (is_data(e))
		vtb_words_via(tab, e->site, via, sizeof(via));
	own = *via && !pending && vtb_has_reserved_part(name) && !is_split(story, at) ? library_verb(via) : NULL;
	vtb_bounded_text_add(&t, "%s%s%s", own ? own : verb, *object ? " " : "", object);
	if (*via)
		vtb_bounded_text_add(&t, " (%s)", via);
}

static void operation_row(const struct vtb_order_style *style, const struct vtb_story *story, size_t at,
                          struct vtb_layout_row *row)
{
	const struct vtb_symtab *tab = style->tab;
	const struct vtb_step *step = &story->steps[at];

	*row = (struct vtb_layout_row){ .style = { VTB_STYLE_NAME, VTB_STYLE_PLAIN, VTB_STYLE_DIM, VTB_STYLE_PLAIN } };
	vtb_words_thread(tab, step->event.thread, row->cell[0], sizeof(row->cell[0]));
	if (strstr(row->cell[0], " lambda in ")) /* in which function: see "threads" */
		*strstr(row->cell[0], " in ") = 0;
	what_text(tab, story, at, row->cell[1], sizeof(row->cell[1]));
	vtb_words_place(tab, step->event.site, row->cell[2], sizeof(row->cell[2]));
	if (step->event.site < tab->n_sites)
		snprintf(row->cell[3], sizeof(row->cell[3]), "%s", tab->sites[step->event.site].text);
	if (step->role == VTB_STEP_FAILS)
		row->style[1] = VTB_STYLE_BAD;
	else if (step->role != VTB_STEP_CONTEXT)
		row->style[1] = VTB_STYLE_BOLD;
}

/* Below a row: its thread was stopped after it. */
static bool stopped_row(const struct vtb_order_style *style, const struct vtb_step *step, struct vtb_layout_row *row)
{
	*row = (struct vtb_layout_row){ .note = true, .style = { VTB_STYLE_WARN } };
	if (step->preempted)
		snprintf(row->cell[0], sizeof(row->cell[0]), "   -- %s is stopped here, although it could go on --",
		         vtb_thread_path(style->tab, step->event.thread));
	return *row->cell[0];
}

/* Above a row: by which deviation other than a switch it takes place. */
static bool deviation_row(const struct vtb_step *step, struct vtb_layout_row *row)
{
	*row = (struct vtb_layout_row){ .note = true, .style = { VTB_STYLE_WARN } };
	if (step->role != VTB_STEP_PENDING && step->event.flags & VTB_EVF_DEVIATED)
		snprintf(row->cell[0], sizeof(row->cell[0]), "   -- %s --",
		         vtb_report_deviation_text(step->event.deviation));
	return *row->cell[0];
}

/* One call of a library may be several operations: a row says it once. */
static bool says_the_same(const struct vtb_layout_row *a, const struct vtb_layout_row *b)
{
	for (size_t c = 0; c < VTB_LAYOUT_COLUMNS; c++)
		if (strcmp(a->cell[c], b->cell[c]) != 0)
			return false;
	return !a->note;
}

static bool told_before(const struct vtb_layout_row *rows, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!rows[i].note && strcmp(rows[i].cell[2], rows[at].cell[2]) == 0)
			return true;
	return false;
}

/* Where there is no room for them beside the operations: the lines of source, each once. */
static void source_lines(const struct vtb_order_style *style, const struct vtb_layout_row *rows, size_t n)
{
	size_t widest = 0;

	for (size_t i = 0; i < n; i++)
		if (!rows[i].note && vtb_layout_width(rows[i].cell[2]) > widest)
			widest = vtb_layout_width(rows[i].cell[2]);
	fputc('\n', style->to);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].note || !*rows[i].cell[3] || told_before(rows, i))
			continue;
		fprintf(style->to, "  %s", vtb_style(style->colored, VTB_STYLE_DIM));
		vtb_layout_cut(style->to, rows[i].cell[2], widest, true);
		fprintf(style->to, "%s  ", vtb_style(style->colored, VTB_STYLE_PLAIN));
		vtb_layout_cut(style->to, rows[i].cell[3], style->width > widest + 4 ? style->width - widest - 4 : 1,
		               false);
		fputc('\n', style->to);
	}
}

static void folded_line(const struct vtb_order_style *style, size_t n)
{
	char count[40];

	fprintf(style->to, "  %s... %s operation%s not needed for the failure%s\n",
	        vtb_style(style->colored, VTB_STYLE_DIM), vtb_words_count(n, count, sizeof(count)), n == 1 ? "" : "s",
	        vtb_style(style->colored, VTB_STYLE_PLAIN));
}

void vtb_order_table(const struct vtb_order_style *style, const struct vtb_story *story)
{
	struct vtb_layout_row rows[3 * VTB_STEPS_MAX + 1]; /* the last may be a note not used */
	size_t n = 0;

	for (size_t i = 0; i < story->n_steps; i++) {
		n += deviation_row(&story->steps[i], &rows[n]);
		operation_row(style, story, i, &rows[n]);
		if (n && says_the_same(&rows[n - 1], &rows[n])) {
			if (rows[n].style[1] != VTB_STYLE_PLAIN)
				rows[n - 1].style[1] = rows[n].style[1];
			n--;
		}
		n++;
		n += stopped_row(style, &story->steps[i], &rows[n]);
	}
	if (!n)
		return;
	fputc('\n', style->to);
	if (!vtb_layout_table(style->to, rows, n, 2, style->width, style->colored))
		source_lines(style, rows, n);
	if (story->folded)
		folded_line(style, story->folded);
	fputc('\n', style->to);
}
