/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schedule that has not run: where it departs from the default order, what it wants before what, and what
 * it changes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "picture.h"
#include "vtb/array.h"
#include "picture_words.h"

static int fill(struct picture *p, struct cell *cell, struct text *words, const struct vtb_symtab *tab,
                const struct vtb_op *op)
{
	struct text source = { 0 }, place = { 0 }, note = { 0 };

	if (op && op->name.site < tab->n_sites)
		text_add(&source, tab->sites[op->name.site].text);
	if (op && op->name.site < tab->n_sites)
		words_place(&place, tab, op->name.site);
	else if (op && op->name.file && op->name.file[0]) {
		text_printf(&place, "%s:%u in ", op->name.file, op->name.line);
		text_add_function(&place, op->name.function ? op->name.function : "");
	}
	if (op && op->name.occurrence > 1)
		text_printf(&note, "time %u that it does so", op->name.occurrence);
	cell->words = text_take(words);
	cell->source = text_take(&source);
	cell->place = text_take(&place);
	cell->note = text_take(&note);
	cell->site = op ? op->name.site : VTB_NONE;
	cell->step = p->n_rows;
	return cell->words && cell->source && cell->place && cell->note ? 0 : -ENOMEM;
}

static void operation_words(struct text *t, const struct vtb_op *op)
{
	if (op->name.kind)
		words_kind(t, op->name.kind, op->name.variable && op->name.variable[0] ? op->name.variable : "?");
	else if (op->index)
		text_printf(t, "operation %u", op->index);
	else
		text_add(t, "has done nothing yet");
}

/* The cell of an operation that is drawn already; SELECT_NO_EVENT: it is not. */
static size_t drawn(const struct picture *p, uint32_t column, const struct vtb_op *op)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].kind == CELL_OPERATION && p->cells[i].column == column &&
		    p->cells[i].index == op->index)
			return i;
	return SELECT_NO_EVENT;
}

static int add_operation(struct picture *p, const struct vtb_symtab *tab, const struct vtb_op *op, size_t *ret)
{
	struct text words = { 0 };
	struct cell *cell;
	uint32_t column;

	if (picture_column(p, tab, op->thread, &column) < 0)
		return -ENOMEM;
	*ret = drawn(p, column, op);
	if (*ret != SELECT_NO_EVENT)
		return 0;
	cell = picture_cell(p, CELL_OPERATION, column, p->n_rows);
	if (!cell)
		return -ENOMEM;
	*ret = p->n_cells - 1;
	cell->index = op->index;
	operation_words(&words, op);
	return fill(p, cell, &words, tab, op);
}

static const char *target_words(const struct vtb_deviation *d)
{
	switch (d->kind) {
	case VTB_DEV_SWITCH:
		return "runs on from here";
	case VTB_DEV_SPURIOUS:
		return "wakes up without a signal";
	case VTB_DEV_TIMEOUT:
		return "its deadline passes";
	case VTB_DEV_DEMOTE:
		return "goes on with its next priority";
	case VTB_DEV_WAITER:
		return "wakes another waiter than the first";
	case VTB_DEV_CAS_FAIL:
		return "its weak compare-exchange fails";
	default:
		return "gets its signal here";
	}
}

static int add_deviation(struct picture *p, const struct vtb_symtab *tab, const struct vtb_deviation *d,
                         uint32_t number)
{
	const bool elsewhere = vtb_deviation_names_thread(d->kind);
	struct arrow arrow = { .kind = ARROW_SWITCH, .from_column = VTB_NONE };
	struct text words = { 0 };
	struct cell *cell;
	uint32_t column;
	char label[32];

	if (add_operation(p, tab, &d->after, &arrow.from) < 0 ||
	    picture_column(p, tab, elsewhere ? d->target : d->after.thread, &column) < 0)
		return -ENOMEM;
	cell = picture_cell(p, CELL_LOCK, column, p->n_rows);
	if (!cell)
		return -ENOMEM;
	arrow.to = p->n_cells - 1;
	cell->after = arrow.from;
	text_add(&words, target_words(d));
	if (fill(p, cell, &words, tab, NULL) < 0)
		return -ENOMEM;
	if (number)
		snprintf(label, sizeof(label), "switch %" PRIu32, number);
	else
		snprintf(label, sizeof(label), "free switch");
	return !elsewhere || d->target == d->after.thread ? 0 : picture_arrow(p, arrow, label);
}

static int add_constraint(struct picture *p, const struct vtb_symtab *tab, const struct vtb_constraint *c)
{
	struct arrow arrow = { .kind = ARROW_ORDER, .from_column = VTB_NONE };

	if (add_operation(p, tab, &c->before, &arrow.from) < 0 || add_operation(p, tab, &c->after, &arrow.to) < 0)
		return -ENOMEM;
	return picture_arrow(p, arrow, "");
}

/* Two operations that come in another order than they were recorded in. */
static int add_reorder(struct picture *p, const struct vtb_symtab *tab, const struct vtb_reorder *o)
{
	struct arrow arrow = { .kind = ARROW_ORDER, .from_column = VTB_NONE };

	if (add_operation(p, tab, &o->first, &arrow.from) < 0 || add_operation(p, tab, &o->second, &arrow.to) < 0)
		return -ENOMEM;
	return picture_arrow(p, arrow, "");
}

static int add_titles(struct picture *p, const struct vtb_schedules *set, size_t number)
{
	const struct vtb_schedule *s = &set->schedules[number];
	struct text title = { 0 }, message = { 0 }, subtitle = { 0 };

	text_printf(&title, "Schedule %zu of %zu: (c,v,t) = (%u,%u,", number + 1, set->n_schedules, s->tuple.c,
	            s->tuple.v);
	if (s->tuple.t)
		text_printf(&title, "%u)", s->tuple.t);
	else
		text_add(&title, "unknown)");
	text_printf(&title, ", %zu deviation%s and %zu constraint%s, not run yet", s->n_deviations,
	            s->n_deviations == 1 ? "" : "s", s->n_constraints, s->n_constraints == 1 ? "" : "s");
	text_add(&message, s->note ? s->note : "");
	for (char **arg = set->argv; arg && *arg; arg++)
		text_printf(&subtitle, "%s%s", arg == set->argv ? "" : " ", *arg);
	p->title = text_take(&title);
	p->message = text_take(&message);
	p->subtitle = text_take(&subtitle);
	return p->title && p->message && p->subtitle ? 0 : -ENOMEM;
}

int picture_of_schedule(const struct vtb_schedules *schedules, size_t number, struct picture *ret)
{
	const struct vtb_schedule *s = &schedules->schedules[number];
	struct picture p = { .planned = true };
	uint32_t costly = 0;
	int r = add_titles(&p, schedules, number);

	for (size_t i = 0; r >= 0 && i < s->n_deviations; i++)
		r = add_deviation(&p, &schedules->tab, &s->deviations[i], s->deviations[i].cost ? ++costly : 0);
	for (size_t i = 0; r >= 0 && i < s->n_constraints; i++)
		r = add_constraint(&p, &schedules->tab, &s->constraints[i]);
	for (size_t i = 0; r >= 0 && i < s->n_reorders; i++)
		r = add_reorder(&p, &schedules->tab, &s->reorders[i]);
	if (r >= 0)
		r = picture_order(&p);
	if (r < 0)
		picture_fini(&p);
	else
		*ret = p;
	return r;
}
