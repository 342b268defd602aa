/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One order is enough for the failure, and nothing more is known of it: the other way round it has to be. The thread
 * that is late may have let the other one go on itself, by something that it did before:
 *
 *     0.0                         0
 *     sets done        ─────────► sees done        by this 0 goes on
 *                                 sets work        what comes too early: `before`
 *     resets work                                  what comes too late: `after`
 */
#include "advice.h"

#include <stdio.h>
#include <string.h>

#include "vtb/words.h"

static bool is_one_place(const struct vtb_cause_order *o)
{
	return o->before.line == o->after.line && !strcmp(o->before.file, o->after.file);
}

#define BETWEEN_MAX 32u /* operations of the late thread since it has let the other one go on */

struct late {
	const struct vtb_exec *run;
	const struct vtb_symtab *tab;
	const struct vtb_cause_order *order;
};

static bool is_at(const struct late *l, const struct vtb_event *e, const struct vtb_cause_op *op)
{
	const struct vtb_site *site = e->site < l->tab->n_sites ? &l->tab->sites[e->site] : NULL;

	return site && site->line == op->line && !strcmp(site->file, op->file) &&
	       !strcmp(vtb_thread_path(l->tab, e->thread), op->thread);
}

/* Which kinds of operations this one goes on by, if they are the last of these on its object. */
static bool goes_on_by(const struct vtb_event *e, const struct vtb_event *other)
{
	if (other->var != e->var || e->var == VTB_NONE)
		return false;
	switch (e->kind) {
	case VTB_E_COND_WAKE:
		return other->kind == VTB_E_COND_SIGNAL || other->kind == VTB_E_COND_BROADCAST;
	case VTB_E_SEM_WAIT:
		return other->kind == VTB_E_SEM_POST;
	case VTB_E_FUTEX_WOKEN:
		return other->kind == VTB_E_FUTEX_WAKE;
	case VTB_E_READ:
	case VTB_E_ATOMIC_LOAD:
	case VTB_E_ATOMIC_RMW:
		return other->kind == VTB_E_WRITE || other->kind == VTB_E_ATOMIC_STORE ||
		       other->kind == VTB_E_ATOMIC_RMW;
	default:
		return false;
	}
}

/* By what event `at` goes on; n_events: by nothing that is known. */
static size_t source_of(const struct vtb_exec *x, size_t at)
{
	for (size_t i = at; i-- > 0;)
		if (goes_on_by(&x->events[at], &x->events[i]))
			return i;
	return x->n_events;
}

/* Does its thread come from event `from` to what is late, in a few operations, once the other one was too early? */
static bool comes_soon(const struct late *l, size_t from, size_t early)
{
	const struct vtb_exec *x = l->run;
	uint32_t n = 0;

	for (size_t i = from + 1; i < x->n_events && n < BETWEEN_MAX; i++) {
		if (x->events[i].thread != x->events[from].thread)
			continue;
		if (is_at(l, &x->events[i], &l->order->after))
			return i > early;
		n++;
	}
	for (size_t i = 0; i < x->n_pending && n < BETWEEN_MAX; i++)
		if (is_at(l, &x->pending[i], &l->order->after))
			return true;
	return false;
}

/* The last thing by which the late thread lets the other one come to what is too early. NULL: not known. */
static const struct vtb_event *lets_go_on(const struct late *l)
{
	const struct vtb_exec *x = l->run;
	size_t early = x->n_events;

	while (early-- > 0 && !is_at(l, &x->events[early], &l->order->before))
		;
	for (size_t i = early; early < x->n_events && i-- > 0;) {
		const size_t by = x->events[i].thread == x->events[early].thread ? source_of(x, i) : x->n_events;

		if (by == x->n_events || strcmp(vtb_thread_path(l->tab, x->events[by].thread), l->order->after.thread))
			continue;
		return comes_soon(l, by, early) && !is_at(l, &x->events[by], &l->order->after) ? &x->events[by] : NULL;
	}
	return NULL;
}

void vtb_advise_order(const struct vtb_causes *all, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                      size_t size)
{
	const struct vtb_cause *c = all->causes;
	struct late late = { .run = run, .tab = tab };
	const struct vtb_event *by;
	char sooner[ADVICE_PLACE], later[ADVICE_PLACE], at[ADVICE_PLACE];

	if (all->n_causes != 1 || (c->detail && *c->detail) || /* that says what to do itself */
	    strcmp(c->class, "order-violation") || c->n_orders != 1 || !c->orders[0].before.line ||
	    !c->orders[0].after.line || is_one_place(&c->orders[0]))
		return;
	vtb_advice_place(&c->orders[0].after, sooner);
	vtb_advice_place(&c->orders[0].before, later);
	late.order = &c->orders[0];
	by = run ? lets_go_on(&late) : NULL;
	if (by)
		snprintf(buf, size, "%s must come before %s: %s lets %s go on at %s already; let it do %s first. %s",
		         sooner, later, late.order->after.thread, late.order->before.thread,
		         vtb_words_place(tab, by->site, at, sizeof(at)), sooner, vtb_advice_not_proved);
	else
		snprintf(buf, size, "%s must come before %s: let %s wait there until %s has done it. %s", sooner, later,
		         c->orders[0].before.thread, c->orders[0].after.thread, vtb_advice_not_proved);
}
