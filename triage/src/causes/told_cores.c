/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings are those of the tables until they are copied. */
#include "told_cores.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/core_class.h"
#include "vtb/short_name.h"

uint32_t vtb_cause_place(const struct vtb_core_op *op, const struct vtb_exec *run, const void *data)
{
	const struct vtb_cause_teller *t = data;

	return vtb_shown_place(&t->places, op, run);
}

/* In the whole run, as the report counts. */
static uint32_t number_of(const struct vtb_cause_teller *t, const struct vtb_core_op *op)
{
	return t->stem && op->thread == t->stem->thread ? vtb_stem_whole(t->stem, op->index) : op->index;
}

/* Without memory it goes by its whole name. */
static const char *told(const struct vtb_cause_teller *t, uint32_t var)
{
	char words[300];
	const char *name = var < t->tab->n_variables
	                       ? vtb_symtab_string(t->tab, vtb_told_variable(t->tab, var, words, sizeof(words)))
	                       : "";

	return name ? name : vtb_variable_name(t->tab, var);
}

static struct vtb_cause_op op_of(const struct vtb_cause_teller *t, const struct vtb_core *core,
                                 const struct vtb_core_op *op)
{
	const struct vtb_symtab *tab = t->tab;
	const uint32_t place = vtb_shown_place(&t->places, op, &core->exec);
	const struct vtb_site *site = place < tab->n_sites ? &tab->sites[place] : NULL;

	return (struct vtb_cause_op){
		.thread = (char *)vtb_thread_path(tab, op->thread),
		.op = number_of(t, op),
		.kind = (char *)vtb_event_info(op->kind)->name,
		.variable = (char *)told(t, op->var),
		.function = (char *)(site ? site->function : ""),
		.file = (char *)(site ? site->file : ""),
		.line = site ? site->line : 0,
	};
}

/* The operation at which a lock is held that all of it might hold. */
static struct vtb_cause_op guard_of(const struct vtb_cause_teller *t, const struct vtb_core *core,
                                    const struct vtb_core_view *view)
{
	struct vtb_core_op op;
	const uint32_t lock = vtb_core_guard(view, &op);

	if (lock >= t->tab->n_variables)
		return (struct vtb_cause_op){ 0 };
	op.var = lock;
	return op_of(t, core, &op);
}

static bool same_line(const struct vtb_cause_op *a, const struct vtb_cause_op *b)
{
	return a->line == b->line && !strcmp(a->file, b->file) && (a->line || !strcmp(a->kind, b->kind));
}

/* Of the same lines: one order is enough for a reader. */
static bool same_order(const struct vtb_cause_order *a, const struct vtb_cause_order *b, bool threads)
{
	return same_line(&a->before, &b->before) && same_line(&a->after, &b->after) &&
	       (!threads || (!strcmp(a->before.thread, b->before.thread) && !strcmp(a->after.thread, b->after.thread)));
}

static int add_order(struct vtb_cause *c, const struct vtb_cause_order *order)
{
	for (size_t i = 0; i < c->n_orders; i++)
		if (same_order(&c->orders[i], order, true)) {
			c->orders[i].merged++;
			return 0;
		}
	if (vtb_array_room(c, orders) < 0)
		return -ENOMEM;
	c->orders[c->n_orders++] = *order;
	return 0;
}

/* The same lines in other threads, or in other rounds. */
static bool same_cause(const struct vtb_cause *a, const struct vtb_cause *b)
{
	size_t met = 0;

	for (size_t i = 0; i < a->n_orders; i++) {
		bool found = false;

		for (size_t k = 0; k < b->n_orders && !found; k++)
			found = same_order(&a->orders[i], &b->orders[k], false);
		met += found;
	}
	return a->n_orders == b->n_orders && met == a->n_orders && !strcmp(a->class, b->class);
}

static int add_cause(struct vtb_causes *to, const struct vtb_cause *c)
{
	for (size_t i = 0; i < to->n_causes; i++)
		if (same_cause(&to->causes[i], c)) {
			to->causes[i].variants++;
			to->causes[i].failing += c->failing;
			to->causes[i].smallest &= c->smallest;
			return 0;
		}
	return vtb_causes_add(to, c);
}

static void know_places(const struct vtb_cause_teller *t, struct vtb_core_view *view)
{
	view->place = vtb_cause_place;
	view->places = t;
	view->passing = t->passing;
}

#define DETAIL 2000 /* bytes */

/* The core in words; *ret borrows all but the array of its orders. */
static int describe(const struct vtb_cause_teller *t, const struct vtb_core *core, char *detail, struct vtb_cause *ret)
{
	const struct vtb_core_class *class;
	struct vtb_core_view view;
	int r = vtb_core_view_of(core, t->tab, &view);

	if (r < 0)
		return r;
	know_places(t, &view);
	class = vtb_core_classify(&view);
	*ret = (struct vtb_cause){ .class = (char *)class->name,
		                   .detail = vtb_core_tell(&view, class, detail, DETAIL),
		                   .lock = (char *)vtb_core_lock(&view),
		                   .guard = guard_of(t, core, &view),
		                   .exhausted = core->exhausted,
		                   .smallest = core->smallest,
		                   .failing = core->failing,
		                   .variants = 1 };
	for (size_t i = 0; r >= 0 && i < core->n_literals && i < VTB_CAUSE_ORDERS_LIMIT; i++) {
		const struct vtb_cause_order order = { .before = op_of(t, core, &core->literals[i].before),
			                               .after = op_of(t, core, &core->literals[i].after),
			                               .merged = 1 };

		r = add_order(ret, &order);
	}
	vtb_core_view_fini(&view);
	return r;
}

int vtb_cause_words(const struct vtb_cause_teller *t, const struct vtb_cores *cores, struct vtb_causes *ret)
{
	int r = 0;

	*ret = (struct vtb_causes){ .runs = cores->runs,
		                    .passing = cores->passing,
		                    .failing = cores->failing,
		                    .orders = cores->orders,
		                    .exhausted = cores->exhausted,
		                    .chances_left_out = cores->chances_left_out,
		                    .explained = cores->explained };
	for (size_t i = 0; r >= 0 && i < cores->n_cores; i++) {
		struct vtb_cause c = { 0 };
		char detail[DETAIL];

		r = describe(t, &cores->cores[i], detail, &c);
		if (r >= 0)
			r = add_cause(ret, &c);
		free(c.orders);
	}
	if (r < 0)
		vtb_causes_fini(ret);
	return r;
}

int vtb_cause_unrepaired(const struct vtb_cause_teller *t, const struct vtb_core *core, struct vtb_cause *cause)
{
	struct vtb_core_view view;
	char detail[DETAIL];
	int r;

	if (cause->n_repairs || (cause->detail && *cause->detail))
		return 0;
	r = vtb_core_view_of(core, t->tab, &view);
	if (r < 0)
		return r;
	know_places(t, &view);
	free(cause->detail);
	cause->detail = strdup(vtb_core_tell_unrepaired(&view, detail, sizeof(detail)));
	vtb_core_view_fini(&view);
	return cause->detail ? 0 : -ENOMEM;
}
