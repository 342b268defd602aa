/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repairs in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core_names.h"
#include "repairs.h"
#include "vtb/event_words.h"
#include "vtb/exec_waits.h"
#include "vtb/short_name.h"

#define NAMES 4u /* in one sentence */

struct words {
	char *buf;
	size_t size, used;
	const struct vtb_symtab *tab;
	const struct vtb_core_repair_opts *opts;
	const struct repair *repair;
	char names[NAMES][200];
	size_t n_names;
};

static void say(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct words *w, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(w->buf + w->used, w->size - w->used, fmt, ap);
	va_end(ap);
	w->used = n < 0 ? w->used : w->used + (size_t)n < w->size ? w->used + (size_t)n : w->size - 1;
}

/* In which run it is: operations lie in what they are part of. */
static const struct vtb_exec *run_of(const struct words *w, const struct vtb_core_op *op)
{
	const struct repair *r = w->repair;

	for (size_t i = 0; i < r->n_pieces; i++)
		if (op >= &r->pieces[i].first && op <= &r->pieces[i].from)
			return r->pieces[i].run;
	for (size_t i = 0; i < r->n_flips; i++)
		if (op >= &r->flips[i].later && op <= &r->flips[i].from)
			return r->flips[i].run;
	return &r->core->exec;
}

static uint32_t site_of(const struct words *w, const struct vtb_core_op *op)
{
	return w->opts->place ? w->opts->place(op, run_of(w, op), w->opts->places) : op->site;
}

/* As people say it; valid until NAMES more are asked for. */
static const char *variable(struct words *w, uint32_t var)
{
	char *name = w->names[w->n_names++ % NAMES];

	return vtb_short_variable(vtb_variable_name(w->tab, var), name, sizeof(w->names[0]));
}

static const char *place(const struct words *w, const struct vtb_core_op *op, char *buf, size_t size)
{
	return vtb_site_place(w->tab, site_of(w, op), buf, size);
}

static uint32_t line_of(const struct words *w, const struct vtb_core_op *op)
{
	const uint32_t site = site_of(w, op);

	return site < w->tab->n_sites ? w->tab->sites[site].line : 0;
}

static void say_piece(struct words *w, const struct repair_piece *p)
{
	char first[300], last[300], function[200];
	const uint32_t site = site_of(w, &p->first);

	vtb_short_function(site < w->tab->n_sites ? w->tab->sites[site].function : "", function, sizeof(function));
	place(w, &p->first, first, sizeof(first));
	place(w, &p->last, last, sizeof(last));
	say(w, "%s%s%s", function, *function ? " at " : "", first);
	if (strcmp(first, last))
		say(w, " to %s", last);
	else if (p->first.site == p->last.site && p->first.kind == p->last.kind &&
	         p->first.occurrence != p->last.occurrence)
		say(w, " until it comes there again");
}

static bool same_lines(const struct words *w, const struct repair_piece *a, const struct repair_piece *b)
{
	char left[300], right[300];

	return !strcmp(place(w, &a->first, left, sizeof(left)), place(w, &b->first, right, sizeof(right))) &&
	       !strcmp(place(w, &a->last, left, sizeof(left)), place(w, &b->last, right, sizeof(right)));
}

static bool told(const struct words *w, const struct repair *r, size_t piece)
{
	for (size_t i = 0; i < piece; i++)
		if (same_lines(w, &r->pieces[i], &r->pieces[piece]))
			return true;
	return false;
}

/* A lock that some piece holds already. */
static const struct repair_piece *locked_piece(const struct repair *r)
{
	for (size_t i = 0; i < r->n_pieces; i++)
		if (r->pieces[i].lock != VTB_NONE)
			return &r->pieces[i];
	return NULL;
}

/* Another piece with a lock of its own: each thread is alone with its lock. */
static const struct repair_piece *other_lock(const struct repair *r, const struct repair_piece *locked)
{
	for (size_t i = 0; locked && i < r->n_pieces; i++)
		if (r->pieces[i].lock != VTB_NONE && r->pieces[i].lock != locked->lock)
			return &r->pieces[i];
	return NULL;
}

static bool one_line(const struct words *w, const struct repair_piece *p)
{
	return line_of(w, &p->first) == line_of(w, &p->last);
}

/* The mutex of a wait that ends a piece, or VTB_NONE. */
static uint32_t mutex_of_wait(const struct repair *r)
{
	for (size_t i = 0; i < r->n_pieces; i++) {
		const size_t at = core_place_in(r->pieces[i].run, &r->pieces[i].last);

		if (at != VTB_EVENT_NONE && r->pieces[i].run->events[at].kind == VTB_E_COND_WAIT)
			return r->pieces[i].run->events[at].aux;
	}
	return VTB_NONE;
}

static void say_steps(struct words *w, const struct repair *r)
{
	const struct repair_piece *locked = locked_piece(r);
	const uint32_t mutex = mutex_of_wait(r);
	char where[300];
	size_t n = 0;

	for (size_t i = 0; i < r->n_pieces; i++) {
		if (told(w, r, i))
			continue;
		say(w, "%s", n++ ? " and " : "");
		say_piece(w, &r->pieces[i]);
	}
	say(w, n > 1 ? " must each be one step for the other: " : " must be one step: ");
	if (other_lock(r, locked))
		say(w, "the threads hold different locks there, `%s` and `%s`: hold one that is the same for all.",
		    vtb_variable_name(w->tab, locked->lock), vtb_variable_name(w->tab, other_lock(r, locked)->lock));
	else if (locked && locked->shared)
		say(w, "`%s` is held only shared at %s: hold it exclusively%s.",
		    vtb_variable_name(w->tab, locked->lock), place(w, &locked->first, where, sizeof(where)),
		    n == 1 && one_line(w, &r->pieces[0]) ? ", or make it one atomic operation" : "");
	else if (locked)
		say(w, "`%s` is held at %s already, hold it over %s.", variable(w, locked->lock),
		    place(w, &locked->first, where, sizeof(where)),
		    n == 1           ? "all of it"
		    : locked->locked ? "the other, too"
		                     : "all of each");
	else if (mutex != VTB_NONE)
		say(w, "hold `%s`, the mutex of the wait, over %s.", variable(w, mutex), n > 1 ? "each" : "it");
	else
		say(w, n == 1 && one_line(w, &r->pieces[0]) ? "hold a lock over it, or make it one atomic operation."
		       : n == 1                             ? "hold one lock from the first to the last operation."
		                : "hold one lock from the first to the last operation of each.");
}

static const char *verb(const struct vtb_core_op *op)
{
	const struct vtb_event_words *words = vtb_event_words(op->kind);

	return words->verb ? words->verb : "does";
}

static const char *name(struct words *w, const struct vtb_core_op *op)
{
	return op->var < w->tab->n_variables ? variable(w, op->var) : "it";
}

static void say_flip(struct words *w, const struct repair_flip *f)
{
	char sooner[300], later[300];

	place(w, &f->sooner, sooner, sizeof(sooner));
	place(w, &f->later, later, sizeof(later));
	if (f->later.kind == VTB_E_FREE)
		say(w,
		    "%s must not be freed at %s before %s %s it at %s: join the thread, or count its users, before "
		    "freeing.",
		    name(w, &f->later), later, vtb_thread_path(w->tab, f->sooner.thread), verb(&f->sooner), sooner);
	else
		say(w, "%s, which %s %s, must come before %s, which %s it: wait for it before line %u.", sooner,
		    verb(&f->sooner), name(w, &f->sooner), later, verb(&f->later), line_of(w, &f->from));
}

static bool flip_told(const struct words *w, const struct repair *r, size_t flip)
{
	char a[300], b[300];

	for (size_t i = 0; i < flip; i++)
		if (!strcmp(place(w, &r->flips[i].sooner, a, sizeof(a)),
		            place(w, &r->flips[flip].sooner, b, sizeof(b))) &&
		    !strcmp(place(w, &r->flips[i].later, a, sizeof(a)), place(w, &r->flips[flip].later, b, sizeof(b))))
			return true;
	return false;
}

/* The waiter's test and wait, the other's change and signal: a lock is held over the waiter's already. */
static bool say_predicate(struct words *w, const struct repair *r)
{
	const struct repair_piece *locked = locked_piece(r);
	char change[300], test[300];

	for (size_t i = 0; locked && i < r->core->n_literals; i++) {
		const struct vtb_order_literal *l = &r->core->literals[i];

		if (l->before.thread != locked->first.thread ||
		    vtb_event_info(l->after.kind)->family == VTB_FAMILY_COND)
			continue;
		say(w, "Set %s at %s while holding `%s`, under which %s tests it before it waits.", name(w, &l->after),
		    place(w, &l->after, change, sizeof(change)), variable(w, locked->lock),
		    place(w, &l->before, test, sizeof(test)));
		return true;
	}
	return false;
}

static bool say_deadlock(struct words *w, const struct repair *r)
{
	char where[300];

	for (size_t i = 0; i < r->n_pieces; i++)
		say(w, "%s%s", i ? " and " : "Take ", name(w, &r->pieces[i].first));
	say(w, " in the same order everywhere, or hold one more lock around both: ");
	for (size_t i = 0; i < r->n_pieces; i++)
		say(w, "%s%s takes %s while holding %s", i ? ", " : "",
		    place(w, &r->pieces[i].last, where, sizeof(where)), name(w, &r->pieces[i].last),
		    name(w, &r->pieces[i].first));
	say(w, ".");
	return true;
}

/* The place of the wait that the thread of the first order has left before it went on. */
static bool say_loop(struct words *w, const struct repair *r)
{
	const struct vtb_core_op *use = r->n_flips ? &r->flips[0].later : &r->pieces[0].last;
	const struct vtb_exec *x = r->n_flips ? r->flips[0].run : r->pieces[0].run;
	size_t at = core_place_in(x, use);
	char wait[300], where[300];

	while (at != VTB_EVENT_NONE && at-- > 0)
		if (x->events[at].thread == use->thread && x->events[at].kind == VTB_E_COND_WAKE) {
			const struct vtb_core_op wake = core_op_at(x, at);

			place(w, &wake, wait, sizeof(wait));
			say(w, "Test what is waited for again after the wait at %s, in a loop, before going on at %s.",
			    wait, place(w, use, where, sizeof(where)));
			return true;
		}
	return false;
}

/* Words of their own for some kinds of mistakes. False: there is nothing special to say. */
static const struct {
	const char *class;
	bool (*say)(struct words *w, const struct repair *r);
	bool steps; /* only for pieces that become one step */
} special[] = {
	{ "deadlock", say_deadlock, true },
	{ "lost-wakeup", say_predicate, true },
	{ "predicate-without-mutex", say_predicate, true },
	{ "check-not-repeated", say_loop, false },
};

char *repair_words(const struct repair *r, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                   char *buf, size_t size)
{
	struct words w = { .buf = buf, .size = size, .tab = tab, .opts = opts, .repair = r };

	*buf = 0;
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (!strcmp(special[i].class, r->class->name) && (!special[i].steps || r->n_pieces) &&
		    special[i].say(&w, r))
			return buf;
	if (r->n_pieces)
		say_steps(&w, r);
	for (size_t i = 0; i < r->n_flips; i++) {
		if (flip_told(&w, r, i))
			continue;
		say(&w, "%s", w.used ? " " : "");
		say_flip(&w, &r->flips[i]);
	}
	return buf;
}
