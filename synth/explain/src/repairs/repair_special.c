/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repairs of some kinds in words of their own. */
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repair_text.h"

/* The waiter's test and wait, the other's change and signal: a lock is held over the waiter's already. */
static bool say_predicate(struct repair_text *w, const struct repair *r)
{
	char change[300], test[300];
	struct vtb_core_view v;
	bool said = false;

	if (vtb_core_view_of(r->core, w->tab, &v) < 0)
		return false;
	for (size_t i = 0; i < r->core->n_literals && !said; i++) {
		const struct vtb_order_literal *l = &r->core->literals[i];
		const uint32_t mutex = core_predicate_mutex(&v, i);

		if (mutex == VTB_NONE)
			continue;
		repair_say(w, "Set %s at %s while holding `%s`, under which %s tests it before it waits.",
		           repair_name(w, &l->after), repair_place(w, &l->after, change, sizeof(change)),
		           repair_variable(w, mutex), repair_place(w, &l->before, test, sizeof(test)));
		said = true;
	}
	vtb_core_view_fini(&v);
	return said;
}

static const char *pending_place(const struct repair_text *w, const struct vtb_event *e, char *buf, size_t size)
{
	const struct vtb_core_op op = { .thread = e->thread, .site = e->site, .var = e->var, .kind = e->kind };

	return repair_place(w, &op, buf, size);
}

/* What is in a circle is a lock and a thread: no order of locks helps. */
static bool say_join(struct repair_text *w, const struct repair *r)
{
	const struct vtb_exec *x = &r->core->exec;
	size_t join, taker, n = 0;
	char waits[300], takes[300];

	if (!core_joins_under_lock(x, w->tab, &join, &taker) || (!r->n_pieces && !r->n_flips))
		return false;
	repair_say(w, "Let %s go before %s waits for the end of %s, which takes it at %s; or, as was tried, ",
	           repair_variable(w, x->pending[taker].var), pending_place(w, &x->pending[join], waits, sizeof(waits)),
	           vtb_thread_path(w->tab, x->pending[taker].thread),
	           pending_place(w, &x->pending[taker], takes, sizeof(takes)));
	if (!r->n_pieces) {
		repair_say(w, "wait at line %u until that thread needs it no more.", repair_line(w, &r->flips[0].from));
		return true;
	}
	repair_say(w, "let ");
	for (size_t i = 0; i < r->n_pieces; i++) {
		if (repair_piece_is_told(w, r, i))
			continue;
		repair_say(w, "%s", n++ ? " and " : "");
		repair_say_piece(w, &r->pieces[i]);
	}
	repair_say(w, n > 1 ? " each be one step for the other." : " be one step.");
	return true;
}

static bool is_lock(const struct vtb_core_op *op)
{
	const enum vtb_family family = vtb_event_info(op->kind)->family;

	return family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK;
}

static bool are_locks(const struct repair *r)
{
	for (size_t i = 0; i < r->n_pieces; i++)
		if (!is_lock(&r->pieces[i].first) || !is_lock(&r->pieces[i].last))
			return false;
	return true;
}

/* Who takes a lock or not by what it reads has its circle in what is read, too. */
static bool say_deadlock(struct repair_text *w, const struct repair *r)
{
	char where[300];

	if (!are_locks(r))
		return false;
	for (size_t i = 0; i < r->n_pieces; i++)
		repair_say(w, "%s%s",
		           !i                    ? "Take "
		           : i + 1 < r->n_pieces ? ", "
		                                 : " and ",
		           repair_name(w, &r->pieces[i].first));
	repair_say(w, " in the same order everywhere, or hold one more lock around %s: ",
	           r->n_pieces > 2 ? "all of them" : "both");
	for (size_t i = 0; i < r->n_pieces; i++)
		repair_say(w, "%s%s takes %s while holding %s", i ? ", " : "",
		           repair_place(w, &r->pieces[i].last, where, sizeof(where)),
		           repair_name(w, &r->pieces[i].last), repair_name(w, &r->pieces[i].first));
	repair_say(w, ".");
	return true;
}

/* The place of the wait that the thread of the first order has left before it went on. */
static bool say_loop(struct repair_text *w, const struct repair *r)
{
	const struct vtb_core_op *use = r->n_flips ? &r->flips[0].later : &r->pieces[0].last;
	const struct vtb_exec *x = r->n_flips ? r->flips[0].run : r->pieces[0].run;
	size_t at = core_place_in(x, use);
	char wait[300], where[300];

	while (at != VTB_EVENT_NONE && at-- > 0)
		if (x->events[at].thread == use->thread && x->events[at].kind == VTB_E_COND_WAKE) {
			const struct vtb_core_op wake = core_op_at(x, at);

			repair_place(w, &wake, wait, sizeof(wait));
			repair_say(
			    w, "Test what is waited for again after the wait at %s, in a loop, before going on at %s.",
			    wait, repair_place(w, use, where, sizeof(where)));
			return true;
		}
	return false;
}

/* Does event `i` wake one of several, while another one still waits there? */
static bool wakes_one(const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->events[i];

	for (size_t k = 0; k < x->n_pending; k++) {
		const struct vtb_event *p = &x->pending[k];

		if (p->var == e->var && ((e->kind == VTB_E_COND_SIGNAL && p->kind == VTB_E_COND_WAKE) ||
		                         (e->kind == VTB_E_FUTEX_WAKE && vtb_exec_passed_over(x, p) != VTB_EVENT_NONE)))
			return true;
	}
	return false;
}

/* Where the condition is signalled, or the word of a futex woken, to one of those who wait, each place once. The last
 * is the one that woke another. */
static bool say_wake_all(struct repair_text *w, const struct repair *r)
{
	const struct vtb_exec *x = &r->core->exec;
	char places[8][300];
	size_t n = 0;

	for (size_t i = x->n_events; i-- > 0 && n < 8;) {
		bool told = false;

		if (!wakes_one(x, i))
			continue;
		repair_place_at(w, x, i, places[n], sizeof(places[n]));
		for (size_t k = 0; k < n; k++)
			told |= !strcmp(places[k], places[n]);
		if (!told)
			repair_say(w, "%s%s%s",
			           n == 0   ? "Wake all who wait, not one of them, at "
			           : n == 1 ? "; tried together with "
			                    : ", ",
			           places[n],
			           n                                        ? ""
			           : x->events[i].kind == VTB_E_COND_SIGNAL ? " (by a broadcast, notify_all"
			                                                    : " (by notify_all, FUTEX_WAKE for all");
		n += !told;
	}
	if (n)
		repair_say(w, "), or give those who wait for different things a condition each.");
	return n > 0;
}

/* The exchange of the core's that succeeds, in the run that fails, although others had been there. */
static size_t aba_exchange(const struct vtb_core *core)
{
	for (size_t i = 0; i < core->n_literals; i++) {
		const struct vtb_core_op *op = &core->literals[i].after;
		const size_t at = op->kind == VTB_E_ATOMIC_RMW ? core_place_in(&core->exec, op) : VTB_EVENT_NONE;

		if (at != VTB_EVENT_NONE && core_exchanged_same(&core->exec, at))
			return at;
	}
	return VTB_EVENT_NONE;
}

/* The step that ends with it: other steps of the repair are other threads'. */
static bool say_aba(struct repair_text *w, const struct repair *r)
{
	const size_t exchange = aba_exchange(r->core);
	const struct repair_piece *p = NULL;
	char first[300], last[300];

	for (size_t i = 0; i < r->n_pieces && exchange != VTB_EVENT_NONE; i++)
		if (core_place_in(r->pieces[i].run, &r->pieces[i].last) == exchange &&
		    r->pieces[i].run == &r->core->exec)
			p = &r->pieces[i];
	if (!p)
		return false;
	repair_say(
	    w,
	    "From %s to %s must be one step, although %s has the same value again: compare a count of changes (a "
	    "tag) with it, or keep what it names from being used again as long as somebody looks at it.",
	    repair_place(w, &p->first, first, sizeof(first)), repair_place(w, &p->last, last, sizeof(last)),
	    repair_name(w, &p->last));
	return true;
}

static const struct {
	const char *class, *kind;
	bool (*say)(struct repair_text *w, const struct repair *r);
} special[] = {
	{ "join-under-lock", "one-step", say_join },
	{ "join-under-lock", "order", say_join },
	{ "deadlock", "one-step", say_deadlock },
	{ "lost-wakeup", "one-step", say_predicate },
	{ "check-not-repeated", "one-step", say_loop },
	{ "predicate-without-mutex", "one-step", say_predicate },
	{ "check-not-repeated", "order", say_loop },
	{ "too-few-woken", "wake-all", say_wake_all },
	{ "aba", "one-step", say_aba },
};

bool repair_say_special(struct repair_text *w)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (!strcmp(special[i].class, w->repair->class->name) && !strcmp(special[i].kind, w->repair->kind))
			return special[i].say(w, w->repair);
	return false;
}

/* ---- what the thread leaves out */

static bool does(const struct vtb_exec *x, uint32_t thread, const struct vtb_event *like)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread && x->events[i].site == like->site && x->events[i].kind == like->kind)
			return true;
	return false;
}

static bool has_ended(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread && x->events[i].kind == VTB_E_THREAD_END)
			return true;
	return false;
}

/* By the other thread of the order. */
static bool written_for(const struct vtb_exec *x, size_t read, uint32_t writer)
{
	for (size_t i = 0; i < read; i++)
		if (x->events[i].thread == writer && x->events[i].kind == VTB_E_WRITE &&
		    vtb_event_overlap(&x->events[i], &x->events[read]))
			return true;
	return false;
}

size_t repair_left_out(const struct repair *r)
{
	const struct repair_flip *f = r->n_flips && !r->n_pieces ? &r->flips[0] : NULL;
	const struct vtb_exec *x = r->passing;

	if (!f || !x || !core_reads(&f->sooner) || !core_writes(&f->later) || !has_ended(f->run, f->sooner.thread))
		return VTB_EVENT_NONE;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread == f->sooner.thread && e->kind == VTB_E_READ && e->var != VTB_NONE &&
		    !does(f->run, e->thread, e) && written_for(x, i, f->later.thread))
			return i;
	}
	return VTB_EVENT_NONE;
}

/* The last time that the thread looks at what made it end. */
static size_t last_look(const struct repair_flip *f)
{
	const size_t first = core_place_in(f->run, &f->sooner);

	for (size_t i = f->run->n_events; i-- > 0 && first != VTB_EVENT_NONE;) {
		const struct vtb_event *e = &f->run->events[i];

		if (e->thread == f->sooner.thread && vtb_event_is(e, VTB_EV_READS) &&
		    vtb_event_overlap(e, &f->run->events[first]))
			return i;
	}
	return first;
}

bool repair_say_left_out(struct repair_text *w)
{
	const struct vtb_exec *x = w->repair->passing;
	const struct repair_flip *f = &w->repair->flips[0];
	const size_t at = repair_left_out(w->repair);
	char place[300], sees[300], sets[300];
	const char *left;

	if (at == VTB_EVENT_NONE || last_look(f) == VTB_EVENT_NONE)
		return false;
	left = repair_variable(w, x->events[at].var);
	repair_say(w,
	           "In the failing run %s ends once it has read %s at %s, which %s writes at %s, without coming to %s, "
	           "where it reads %s in a run that passes: let it look at %s first and end only when nothing is left "
	           "there, or, as was tried, let it read %s before line %u.",
	           vtb_thread_path(w->tab, f->sooner.thread), repair_name(w, &f->sooner),
	           repair_place_at(w, f->run, last_look(f), sees, sizeof(sees)),
	           vtb_thread_path(w->tab, f->later.thread), repair_place(w, &f->later, sets, sizeof(sets)),
	           repair_place_at(w, x, at, place, sizeof(place)), left, left, repair_name(w, &f->sooner),
	           repair_line(w, &f->from));
	return true;
}
