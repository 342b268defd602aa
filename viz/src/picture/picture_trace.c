/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a run to a picture: what select.c keeps becomes cells, the rest folds. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "picture_title.h"
#include "select_priv.h"
#include "vtb/array.h"
#include "picture_words.h"

struct composing {
	const struct vtb_trace *trace;
	const struct selection *s;
	struct picture *p;
	size_t *cell_of;     /* event -> cell, for kept events */
	uint32_t *column_of; /* thread -> column, VTB_NONE: not shown */
	uint32_t *folded;    /* by column: operations since the last cell */
	uint32_t *free_row;  /* by column: first row below its last cell */
	uint32_t step;
};

/* ---- one cell */

static enum cell_kind kind_of(const struct composing *c, size_t i)
{
	const struct vtb_event *e = &c->trace->events[i];

	for (size_t k = 0; k < c->s->n_failing; k++)
		if (c->s->failing[k] == i)
			return e->kind == VTB_E_PENDING ? CELL_WAITS : CELL_FAILS;
	if (e->kind == VTB_E_PENDING)
		return CELL_NEXT;
	if (e->kind == VTB_E_LOST)
		return CELL_LOST;
	return is_access(e) || e->kind == VTB_E_FREE || e->kind == VTB_E_FAIL ? CELL_OPERATION : CELL_LOCK;
}

/* Why a waiting thread waits. */
static void note_holder(struct composing *c, const struct vtb_event *e, size_t i, struct text *note)
{
	const size_t holder = select_holder(c->trace, e->var, i);

	if (e->kind != VTB_E_PENDING || holder == SELECT_NO_EVENT)
		return;
	text_printf(note, "held by thread %s", vtb_thread_path(&c->trace->tab, c->trace->events[holder].thread));
	if (c->s->keep[holder]) { /* no number: pages count all operations, pictures those that are shown */
		const char *place = c->p->cells[c->cell_of[holder]].place, *function = strstr(place, " in ");

		text_printf(note, " since %.*s", (int)(function ? (size_t)(function - place) : strlen(place)), place);
	}
}

static const char *deviation_words(const struct vtb_event *e)
{
	switch (e->deviation) {
	case VTB_DEV_WAITER:
		return "another waiter than the first";
	case VTB_DEV_SPURIOUS:
		return "spurious wake-up";
	case VTB_DEV_TIMEOUT:
		return "its deadline passes first";
	case VTB_DEV_CAS_FAIL:
		return "weak compare-exchange fails";
	case VTB_DEV_SIGNAL:
		return "signal arrives here";
	default:
		return "deviation";
	}
}

/* A line that holds only a brace is not worth its place. */
static bool says_something(const char *source)
{
	for (; *source; source++)
		if (isalnum((unsigned char)*source))
			return true;
	return false;
}

/* Of what assert() prints, the part that the cell does not show anyway; the whole stands above the picture. */
static const char *short_message(const char *message)
{
	const char *at = strstr(message, "Assertion ");

	return at ? at : message;
}

static int fill_cell(struct composing *c, struct cell *cell, size_t i)
{
	const struct vtb_event *e = &c->trace->events[i];
	const struct vtb_symtab *tab = &c->trace->tab;
	struct text words = { 0 }, source = { 0 }, place = { 0 }, note = { 0 };

	words_event(&words, c->trace, e);
	words_value(&words, c->trace, e);
	if (e->site < tab->n_sites && says_something(tab->sites[e->site].text))
		text_add(&source, tab->sites[e->site].text);
	words_place(&place, tab, e->site);
	note_holder(c, e, i, &note);
	if (e->flags & VTB_EVF_DEVIATED)
		text_printf(&note, "%s%s", note.length ? "; " : "", deviation_words(e));
	if (cell->kind == CELL_FAILS && c->trace->outcome.message)
		text_add(&note, short_message(c->trace->outcome.message));
	cell->words = text_take(&words);
	cell->source = text_take(&source);
	cell->place = text_take(&place);
	cell->note = text_take(&note);
	cell->var = selection_var(c->s, e->var);
	cell->site = e->site;
	cell->event = i;
	cell->step = ++c->step;
	return cell->words && cell->source && cell->place && cell->note ? 0 : -ENOMEM;
}

static int fill_fold(struct cell *fold, uint32_t operations)
{
	struct text words = { 0 }, nothing = { 0 };

	text_printf(&words, "\u2026 %u operation%s", operations, operations == 1 ? "" : "s");
	fold->folded = operations;
	fold->words = text_take(&words);
	fold->source = text_take(&nothing);
	fold->place = text_take(&nothing);
	fold->note = text_take(&nothing);
	return fold->words && fold->source && fold->place && fold->note ? 0 : -ENOMEM;
}

/* ---- rows */

/* What a column left out goes into the row of another column's last cell if that is free, else into a new row. */
static int flush_fold(struct composing *c, uint32_t column)
{
	uint32_t row = c->p->n_rows;
	struct cell *fold;

	if (!c->folded[column])
		return 0;
	if (row && c->free_row[column] < row)
		row--;
	fold = picture_cell(c->p, CELL_FOLD, column, row);
	if (!fold)
		return -ENOMEM;
	c->free_row[column] = row + 1;
	if (fill_fold(fold, c->folded[column]) < 0)
		return -ENOMEM;
	c->folded[column] = 0;
	return 0;
}

static int add_kept(struct composing *c, size_t i)
{
	const uint32_t column = c->column_of[c->trace->events[i].thread];
	struct cell *cell;

	if (flush_fold(c, column) < 0)
		return -ENOMEM;
	cell = picture_cell(c->p, kind_of(c, i), column, c->p->n_rows);
	if (!cell)
		return -ENOMEM;
	c->cell_of[i] = c->p->n_cells - 1;
	c->free_row[column] = cell->row + 1;
	return fill_cell(c, cell, i);
}

static int add_cells(struct composing *c)
{
	for (size_t i = 0; i < c->trace->n_events; i++) {
		const struct vtb_event *e = &c->trace->events[i];
		const uint32_t column = e->thread < c->trace->tab.n_threads ? c->column_of[e->thread] : VTB_NONE;

		if (column == VTB_NONE)
			continue;
		if (c->s->keep[i]) {
			if (add_kept(c, i) < 0)
				return -ENOMEM;
		} else if (is_visible(e) && e->kind != VTB_E_FAIL) {
			c->folded[column]++;
		}
	}
	for (uint32_t column = 0; column < c->p->n_columns; column++)
		if (flush_fold(c, column) < 0)
			return -ENOMEM;
	return 0;
}

static int add_columns(struct composing *c)
{
	const struct vtb_symtab *tab = &c->trace->tab;
	bool *shown = calloc(tab->n_threads + 1, sizeof(*shown));
	int r = shown ? 0 : -ENOMEM;

	for (size_t i = 0; shown && i < c->trace->n_events; i++)
		if (c->s->keep[i] && c->trace->events[i].thread < tab->n_threads)
			shown[c->trace->events[i].thread] = true;
	for (uint32_t thread = 0; thread < tab->n_threads; thread++) {
		c->column_of[thread] = VTB_NONE;
		if (r >= 0 && shown[thread])
			r = picture_column(c->p, tab, thread, &c->column_of[thread]);
	}
	free(shown);
	return r;
}

/* ---- arrows */

static int add_turn(struct composing *c, const struct turn *turn)
{
	struct arrow arrow = { .kind = ARROW_SWITCH, .from = SELECT_NO_EVENT };
	char label[32];

	if (!turn->number || turn->to == SELECT_NO_EVENT || turn->thread >= c->trace->tab.n_threads)
		return 0;
	arrow.from_column = c->column_of[turn->thread];
	if (turn->from != SELECT_NO_EVENT)
		arrow.from = c->cell_of[turn->from];
	if (arrow.from_column == VTB_NONE || c->trace->events[turn->to].thread == turn->thread)
		return 0; /* another kind of deviation, which its own cell notes */
	arrow.to = c->cell_of[turn->to];
	snprintf(label, sizeof(label), "switch %u", turn->number);
	return picture_arrow(c->p, arrow, label);
}

static int add_arrows(struct composing *c)
{
	for (size_t i = 0; i < c->s->n_orders; i++) {
		const struct order *o = &c->s->orders[i];
		const struct arrow arrow = { .kind = ARROW_ORDER,
			                     .from = c->cell_of[o->before],
			                     .to = c->cell_of[o->after],
			                     .from_column = VTB_NONE };

		if (picture_arrow(c->p, arrow, "") < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < c->s->n_turns; i++)
		if (add_turn(c, &c->s->turns[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int add_vars(struct composing *c)
{
	for (size_t i = 0; i < c->s->n_vars; i++) {
		struct text name = { 0 }, words = { 0 };
		char told[300];

		if (vtb_array_room(c->p, vars) < 0)
			return -ENOMEM;
		text_add(&name, vtb_variable_name(&c->trace->tab, c->s->vars[i]));
		text_add(&words, words_variable(&c->trace->tab, c->s->vars[i], told, sizeof(told)));
		c->p->vars[c->p->n_vars++] = (struct picture_var){ text_take(&name), text_take(&words) };
		if (!c->p->vars[i].name || !c->p->vars[i].told)
			return -ENOMEM;
	}
	return 0;
}

static int compose(struct composing *c, const struct vtb_failure *failure)
{
	const size_t threads = c->trace->tab.n_threads;
	int r;

	c->cell_of = calloc(c->trace->n_events + 1, sizeof(*c->cell_of));
	c->column_of = calloc(threads + 1, sizeof(*c->column_of));
	c->folded = calloc(threads + 1, sizeof(*c->folded));
	c->free_row = calloc(threads + 1, sizeof(*c->free_row));
	if (!c->cell_of || !c->column_of || !c->folded || !c->free_row)
		return -ENOMEM;
	r = add_columns(c);
	if (r >= 0)
		r = add_cells(c);
	if (r >= 0)
		r = add_arrows(c);
	if (r >= 0)
		r = add_vars(c);
	return r < 0 ? r : picture_titles(c->p, c->trace, failure, c->s);
}

/* ---- the schedule of a failure has a table of names of its own */

static uint32_t thread_in(const struct vtb_symtab *to, const struct vtb_symtab *from, uint32_t thread)
{
	const char *path = vtb_thread_path(from, thread);

	for (uint32_t i = 0; thread < from->n_threads && i < to->n_threads; i++)
		if (!strcmp(to->threads[i].path, path))
			return i;
	return VTB_NONE;
}

static uint32_t var_in(const struct vtb_symtab *to, const struct vtb_symtab *from, uint32_t var)
{
	const char *name = vtb_variable_name(from, var);

	for (uint32_t i = 0; var < from->n_variables && i < to->n_variables; i++)
		if (!strcmp(to->variables[i].name, name))
			return i;
	return VTB_NONE;
}

static void translate(struct vtb_schedule *s, const struct vtb_symtab *to, const struct vtb_symtab *from)
{
	for (size_t i = 0; i < s->n_deviations; i++) {
		struct vtb_deviation *d = &s->deviations[i];

		d->after.thread = thread_in(to, from, d->after.thread);
		d->var = var_in(to, from, d->var);
		if (vtb_deviation_names_thread(d->kind))
			d->target = thread_in(to, from, d->target);
	}
}

static int select_for(const struct vtb_trace *trace, const struct vtb_failure *failure, struct selection *ret)
{
	struct vtb_schedule schedule;
	bool *told = NULL;
	int r;

	if (!failure || !failure->schedule.n_schedules)
		return select_events(trace, NULL, NULL, SELECT_LIMITS, ret);
	r = vtb_schedule_copy(&failure->schedule.schedules[0], &schedule);
	if (r < 0)
		return r;
	translate(&schedule, &trace->tab, &failure->schedule.tab);
	r = select_told(failure, &told);
	if (r >= 0)
		r = select_events(trace, &schedule, told, SELECT_LIMITS, ret);
	free(told);
	vtb_schedule_fini(&schedule);
	return r;
}

int picture_of_trace(const struct vtb_trace *trace, const struct vtb_failure *failure, struct picture *ret)
{
	struct picture p = { 0 };
	struct selection s;
	struct composing c = { .trace = failure ? &failure->trace : trace, .s = &s, .p = &p };
	int r = select_for(c.trace, failure, &s);

	if (r < 0)
		return r;
	r = compose(&c, failure);
	free(c.cell_of);
	free(c.column_of);
	free(c.folded);
	free(c.free_row);
	selection_fini(&s);
	if (r < 0)
		picture_fini(&p);
	else
		*ret = p;
	return r;
}
