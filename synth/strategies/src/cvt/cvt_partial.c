/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selective instrumentation of the strategy cvt. How a schedule ends shows without the accesses at which neither it nor
 * what it was made from deviates; only for what follows from it, with one deviation more, must all be seen. So an item
 * is run without them when its turn comes, and *reopened*, run whole, when the level of its children begins. It costs
 * one run more for an item that has as many children as its run has points, and none at the last level; and a level
 * ends without the cost of accesses.
 *
 * Small programs are also searched for free demotions, which follow without one deviation more. With t = 2 those come
 * after everything else
 * (*beyond*), and so does reopening at the last level. With larger t they come soon, and nothing would be saved.
 */
#include <errno.h>
#include <stdlib.h>

#include "strategy_cvt.h"
#include "vtb/array.h"

static bool can_wait(const struct cvt *s, uint32_t id)
{
	const struct cvt_item *item = &s->items[id];

	return item->kind == VTB_DEV_DEMOTE && item->costs && !item->reopened && !item->beyond &&
	       (!cvt_cast(s, id)->enumerate || s->space->opts->t <= 2);
}

static bool add_var(struct vtb_plan *plan, uint32_t var)
{
	for (uint32_t i = 0; i < plan->n_vars; i++)
		if (plan->vars[i] == var)
			return true;
	if (plan->n_vars == VTB_PLAN_VARS)
		return false;
	plan->vars[plan->n_vars++] = var;
	return true;
}

void cvt_offer(const struct cvt *s, uint32_t id, struct vtb_plan *plan)
{
	const uint32_t parent = s->items[id].parent;

	plan->n_vars = 0;
	if (!s->space->wants_past || parent == CVT_NONE || !s->items[parent].past || !can_wait(s, id))
		return;
	for (uint32_t i = id; s->items[i].parent != CVT_NONE; i = s->items[i].parent)
		if (s->items[i].kind != VTB_DEV_DEMOTE || !add_var(plan, s->items[i].var))
			return;
	plan->past = s->items[parent].past;
}

int cvt_keep_past(struct cvt *s, uint32_t id, const struct vtb_exec *x)
{
	struct cvt_item *item = &s->items[id];
	struct vtb_past *past;

	if (!s->space->wants_past || item->past || !item->children || item->c >= s->max_c)
		return 0;
	past = item->past = calloc(1, sizeof(*past));
	for (size_t i = 0; past && i < x->n_events; i++)
		if (x->events[i].kind != VTB_E_LOST && x->events[i].kind != VTB_E_FAIL &&
		    vtb_past_add(past, &x->events[i]) < 0)
			return -ENOMEM;
	return past ? 0 : -ENOMEM;
}

int cvt_reopen_later(struct cvt *s, uint32_t id)
{
	if (s->items[id].c >= s->max_c && !cvt_cast(s, id)->enumerate) {
		s->items[id].run = true;
		cvt_free_item(s, id);
		return 0;
	}
	s->items[id].reopened = true;
	return cvt_push(s, id);
}
