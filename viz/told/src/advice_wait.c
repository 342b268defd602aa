/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to change where somebody waits for what is over, or does not wait for what has still to come; and the parts of
 * such sentences. */
#include "advice.h"

#include <stdio.h>
#include <string.h>

#include "vtb/bounded_text.h"
#include "vtb/exec_waits.h"
#include "vtb/short_name.h"
#include "vtb/words.h"

const char vtb_advice_not_proved[] = "(Not proved: no repair was found that holds in every schedule tried.)";

char *vtb_advice_place(const struct vtb_cause_op *op, char *buf)
{
	const char *slash = strrchr(op->file, '/');

	snprintf(buf, ADVICE_PLACE, "%s:%u", slash ? slash + 1 : op->file, op->line);
	return buf;
}

bool vtb_advice_changes(const struct vtb_cause_op *op)
{
	return !strcmp(op->kind, "write") || !strcmp(op->kind, "atomic-store") || !strcmp(op->kind, "atomic-rmw");
}

static bool signals(const struct vtb_cause_op *op)
{
	return !strcmp(op->kind, "cond-signal") || !strcmp(op->kind, "cond-broadcast");
}

/* A signal that comes before the wait is gone; what was signalled has to be kept in a variable. */
void vtb_advise_wait(const struct vtb_cause *c, char *buf, size_t size)
{
	char signal[ADVICE_PLACE], wait[ADVICE_PLACE];

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];

		if (!signals(&o->before) || strcmp(o->after.kind, "cond-wait") || !o->before.line || !o->after.line)
			continue;
		snprintf(buf, size,
		         "A signal is not kept for who waits later. Let a variable say what %s signals, set it before "
		         "that with the waiter's mutex held, and test it at %s before each wait, in a loop. %s",
		         vtb_advice_place(&o->before, signal), vtb_advice_place(&o->after, wait),
		         vtb_advice_not_proved);
		return;
	}
}

/* What the thread of this path was about to do when the run (may be NULL) was over. False: nothing. */
static bool pending_of(const struct vtb_exec *run, const struct vtb_symtab *tab, const char *thread,
                       struct vtb_event *ret)
{
	for (size_t i = 0; run && i < run->n_pending; i++) {
		*ret = run->pending[i];
		ret->kind = ret->kind == VTB_E_PENDING ? (uint8_t)ret->aux : ret->kind;
		if (!strcmp(vtb_thread_path(tab, ret->thread), thread))
			return true;
	}
	return false;
}

/* The first signal of its thread after this operation of the run, or VTB_EVENT_NONE. */
static size_t next_signal(const struct vtb_exec *run, const struct vtb_symtab *tab, const struct vtb_cause_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; i < run->n_events; i++) {
		const struct vtb_event *e = &run->events[i];

		if (strcmp(vtb_thread_path(tab, e->thread), op->thread) != 0 || !vtb_event_is_operation(e))
			continue;
		if (op->op && n >= op->op && (e->kind == VTB_E_COND_SIGNAL || e->kind == VTB_E_COND_BROADCAST))
			return i;
		n++;
	}
	return VTB_EVENT_NONE;
}

/* Another condition is what the thread signals next: that may be the mistake. */
static void say_other(const struct vtb_cause_op *change, const struct vtb_exec *run, const struct vtb_symtab *tab,
                      uint32_t condition, struct vtb_bounded_text *t)
{
	const size_t at = next_signal(run, tab, change);
	char place[ADVICE_PLACE], name[ADVICE_PLACE];

	if (at == VTB_EVENT_NONE || run->events[at].var == condition)
		return;
	vtb_bounded_text_add(t, "; what %s signals is %s",
	                     vtb_words_place(tab, run->events[at].site, place, sizeof(place)),
	                     vtb_words_variable(tab, run->events[at].var, name, sizeof(name)));
}

/* The order of a test, before the wait, and of the change that nobody has signalled. */
void vtb_advise_signal(const struct vtb_cause *c, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                       size_t size)
{
	char test[ADVICE_PLACE], change[ADVICE_PLACE], name[ADVICE_PLACE], condition[ADVICE_PLACE], wait[ADVICE_PLACE];
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	struct vtb_event pending;

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];
		const char *var =
		    *o->after.variable ? vtb_short_variable(o->after.variable, name, sizeof(name)) : "something";

		if (!vtb_advice_changes(&o->after) || strcmp(o->before.variable, o->after.variable) ||
		    !o->before.line || !o->after.line)
			continue;
		vtb_advice_place(&o->before, test);
		vtb_advice_place(&o->after, change);
		if (pending_of(run, tab, o->before.thread, &pending) && pending.kind == VTB_E_COND_WAKE) {
			vtb_bounded_text_add(
			    &t,
			    "Signal %s when %s is changed at %s: %s tests that at %s and waits on %s at %s, and nobody "
			    "has signalled it since",
			    vtb_words_variable(tab, pending.var, condition, sizeof(condition)), var, change,
			    o->before.thread, test, condition, vtb_words_place(tab, pending.site, wait, sizeof(wait)));
			say_other(&o->after, run, tab, pending.var, &t);
			vtb_bounded_text_add(&t, ". %s", vtb_advice_not_proved);
		} else {
			vtb_bounded_text_add(&t,
			                     "Signal the condition whose waiter tests %s at %s when it is changed at "
			                     "%s: nobody did after that. %s",
			                     var, test, change, vtb_advice_not_proved);
		}
		return;
	}
}

/* The thread of an order's first operation has a lock and waits, the other comes no further than that lock. */
void vtb_advise_lock(const struct vtb_cause *c, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                     size_t size)
{
	char taken[ADVICE_PLACE], wanted[ADVICE_PLACE], name[ADVICE_PLACE], object[ADVICE_PLACE], wait[ADVICE_PLACE];
	struct vtb_event pending, taker;

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];
		size_t held;

		if (o->after.op || !pending_of(run, tab, o->before.thread, &pending) ||
		    !pending_of(run, tab, o->after.thread, &taker))
			continue;
		held = vtb_exec_holder(run, taker.var, pending.thread);
		if (held == VTB_EVENT_NONE)
			continue;
		vtb_words_variable(tab, taker.var, name, sizeof(name));
		snprintf(buf, size,
		         "%s %s %s at %s with %s held since %s, and %s, which needs %s at %s, can do nothing to end "
		         "that: let %s go before the wait. %s",
		         o->before.thread, vtb_words_verb(&pending, true),
		         vtb_words_object(&pending, tab, object, sizeof(object)),
		         vtb_words_place(tab, pending.site, wait, sizeof(wait)), name,
		         vtb_words_place(tab, run->events[held].site, taken, sizeof(taken)), o->after.thread, name,
		         vtb_words_place(tab, taker.site, wanted, sizeof(wanted)), name, vtb_advice_not_proved);
		return;
	}
}

static bool is_late(const struct vtb_cause_order *o)
{
	return (!strcmp(o->before.kind, "read") || !strcmp(o->before.kind, "atomic-load")) &&
	       vtb_advice_changes(&o->after) && !o->after.op && *o->after.variable &&
	       !strcmp(o->before.variable, o->after.variable) && o->before.line && o->after.line;
}

/* Who does which part of the work may differ from cause to cause: the first that shows such a read is told. */
void vtb_advise_late(const struct vtb_causes *all, char *buf, size_t size)
{
	char read[ADVICE_PLACE], write[ADVICE_PLACE], name[ADVICE_PLACE];

	for (size_t i = 0; i < all->n_causes; i++)
		for (size_t k = 0; k < all->causes[i].n_orders; k++) {
			const struct vtb_cause_order *o = &all->causes[i].orders[k];

			if (!is_late(o))
				continue;
			snprintf(
			    buf, size,
			    "%s is read at %s while %s has still to write it at %s: let what says that this may go "
			    "on be said after that is done, not when it begins, or wait for it. %s",
			    vtb_short_variable(o->after.variable, name, sizeof(name)),
			    vtb_advice_place(&o->before, read), o->after.thread, vtb_advice_place(&o->after, write),
			    vtb_advice_not_proved);
			return;
		}
}

void vtb_advise_starved(char *buf, size_t size)
{
	snprintf(
	    buf, size,
	    "Do not wait in a task for another task of the same pool: run that here and now while nobody has begun it, "
	    "or go on in a task that is queued when it is done, or give the inner tasks threads of their own. As many "
	    "threads more as tasks can wait at once would do, too. %s",
	    vtb_advice_not_proved);
}

static bool tries_in_vain(const struct vtb_exec *run)
{
	for (size_t i = run->n_events; i-- > 0;) {
		const struct vtb_event *e = &run->events[i];

		if (e->kind == VTB_E_TRYLOCK && e->flags & VTB_EVF_VALUE && e->value)
			return true;
	}
	return false;
}

void vtb_advise_livelock(const struct vtb_exec *run, char *buf, size_t size)
{
	if (run && tries_in_vain(run))
		snprintf(
		    buf, size,
		    "Who does not get the next lock must let go of what it holds before it tries again; better, take "
		    "both in one order everywhere, or at once (std::scoped_lock). %s",
		    vtb_advice_not_proved);
	else
		snprintf(
		    buf, size,
		    "What these threads look at is changed by none of them any more, or changed back each time: let "
		    "one lock decide who goes first, or let one wait until the other is done. %s",
		    vtb_advice_not_proved);
}
