/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repairs in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repair_scope.h"
#include "repair_text.h"
#include "vtb/event_words.h"
#include "vtb/exec_waits.h"
#include "vtb/short_name.h"

void repair_say(struct repair_text *w, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(w->buf + w->used, w->size - w->used, fmt, ap);
	va_end(ap);
	w->used = n < 0 ? w->used : w->used + (size_t)n < w->size ? w->used + (size_t)n : w->size - 1;
}

/* In which run it is: operations lie in what they are part of. */
static const struct vtb_exec *run_of(const struct repair_text *w, const struct vtb_core_op *op)
{
	const struct repair *r = w->repair;

	for (size_t i = 0; i < r->n_pieces; i++)
		if (op == &r->pieces[i].last && r->pieces[i].whole)
			return r->pieces[i].whole;
		else if (op >= &r->pieces[i].first && op <= &r->pieces[i].from)
			return r->pieces[i].run;
	for (size_t i = 0; i < r->n_flips; i++)
		if (op >= &r->flips[i].later && op <= &r->flips[i].from)
			return r->flips[i].run;
		else if (op == &r->flips[i].done)
			return w->opts->passing;
	return &r->core->exec;
}

static uint32_t site_of(const struct repair_text *w, const struct vtb_core_op *op)
{
	return w->opts->place ? w->opts->place(op, run_of(w, op), w->opts->places) : op->site;
}

const char *repair_variable(struct repair_text *w, uint32_t var)
{
	char *name = w->names[w->n_names++ % REPAIR_NAMES];

	return vtb_told_variable(w->tab, var, name, sizeof(w->names[0]));
}

const char *repair_place(const struct repair_text *w, const struct vtb_core_op *op, char *buf, size_t size)
{
	return vtb_site_place(w->tab, site_of(w, op), buf, size);
}

uint32_t repair_line(const struct repair_text *w, const struct vtb_core_op *op)
{
	const uint32_t site = site_of(w, op);

	return site < w->tab->n_sites ? w->tab->sites[site].line : 0;
}

static const char *function_of(const struct repair_text *w, const struct vtb_core_op *op, char *buf, size_t size)
{
	const uint32_t site = site_of(w, op);

	return vtb_short_function(site < w->tab->n_sites ? w->tab->sites[site].function : "", buf, size);
}

/* The ends by themselves, where no function is known that has both. */
static void say_ends(struct repair_text *w, const struct repair_piece *p)
{
	char first[300], last[300], function[200], other[200];

	function_of(w, &p->first, function, sizeof(function));
	function_of(w, &p->last, other, sizeof(other));
	repair_place(w, &p->first, first, sizeof(first));
	repair_place(w, &p->last, last, sizeof(last));
	repair_say(w, "%s%s%s", function, *function ? " at " : "", first);
	if (strcmp(function, other))
		repair_say(w, " to %s%s%s", other, *other ? " at " : "", last);
	else if (strcmp(first, last))
		repair_say(w, " to %s", last);
}

void repair_say_piece(struct repair_text *w, const struct repair_piece *p)
{
	struct repair_scope scope;
	char text[600];
	const bool known = repair_scope_of(w, p, &scope);

	if (known)
		repair_say(w, "%s", repair_scope_words(&scope, text, sizeof(text)));
	else
		say_ends(w, p);
	if (p->first.site == p->last.site && p->first.kind == p->last.kind &&
	    p->first.occurrence != p->last.occurrence && !(known && (scope.again || scope.first != scope.last)))
		repair_say(w, " until it comes there again");
}

static bool same_lines(const struct repair_text *w, const struct repair_piece *a, const struct repair_piece *b)
{
	char left[300], right[300];

	return !strcmp(repair_place(w, &a->first, left, sizeof(left)),
	               repair_place(w, &b->first, right, sizeof(right))) &&
	       !strcmp(repair_place(w, &a->last, left, sizeof(left)), repair_place(w, &b->last, right, sizeof(right)));
}

bool repair_piece_is_told(const struct repair_text *w, const struct repair *r, size_t piece)
{
	struct repair_scope own, other;
	const bool known = repair_scope_of(w, &r->pieces[piece], &own);

	for (size_t i = 0; i < r->n_pieces; i++)
		if (i < piece && same_lines(w, &r->pieces[i], &r->pieces[piece]))
			return true;
		else if (i != piece && known && repair_scope_of(w, &r->pieces[i], &other) &&
		         repair_scope_holds(&other, &own) && (i < piece || !repair_scope_holds(&own, &other)))
			return true;
	return false;
}

const struct repair_piece *repair_locked_piece(const struct repair *r)
{
	const struct repair_piece *some = NULL;

	for (size_t i = r->n_pieces; i-- > 0;)
		if (r->pieces[i].lock != VTB_NONE && (!some || r->pieces[i].locked >= some->locked))
			some = &r->pieces[i];
	return some;
}

/* Are they about the same variable? Objects of one class have each its own lock. */
static bool share_variable(const struct repair_piece *a, const struct repair_piece *b)
{
	return a->first.var == b->first.var || a->first.var == b->last.var || a->last.var == b->first.var ||
	       a->last.var == b->last.var;
}

/* Another piece with a lock of its own: each thread is alone with its lock. */
static const struct repair_piece *other_lock(const struct repair *r, const struct repair_piece *locked)
{
	for (size_t i = 0; locked && i < r->n_pieces; i++)
		if (r->pieces[i].lock != VTB_NONE && r->pieces[i].lock != locked->lock &&
		    share_variable(&r->pieces[i], locked))
			return &r->pieces[i];
	return NULL;
}

static bool one_line(const struct repair_text *w, const struct repair_piece *p)
{
	struct repair_scope scope;

	return repair_line(w, &p->first) == repair_line(w, &p->last) &&
	       (!repair_scope_of(w, p, &scope) || (scope.first == scope.last && !scope.again));
}

static bool can_be_atomic(const struct repair_text *w, const struct repair *r)
{
	return one_line(w, &r->pieces[0]) && !repair_is_of_libc(w, r);
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

static bool compares_in(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	for (size_t i = 0; x && i < x->n_events; i++)
		if (x->events[i].site == op->site &&
		    (x->events[i].kind == VTB_E_ATOMIC_CAS_FAIL || x->events[i].flags & VTB_EVF_WEAK))
			return true;
	return false;
}

/* Does the operation compare already? A weak one says so, others where one at the same place has failed. In the run
 * that failed its thread may not have come to it. */
static bool compares(const struct repair_text *w, const struct vtb_core_op *op)
{
	return compares_in(run_of(w, op), op) || compares_in(w->repair->passing, op);
}

/* Without a lock: what is changed may tell that it was changed. Of what compares and fails all the same something was
 * freed in between: that it is where it was does not help. */
static void say_exchange(struct repair_text *w, const struct repair *r)
{
	char first[300], last[300];

	for (size_t i = 0; i < r->n_pieces; i++) {
		const struct repair_piece *p = &r->pieces[i];
		const bool atomic = p->first.kind == VTB_E_ATOMIC_LOAD && p->first.var == p->last.var &&
		                    core_writes(&p->last) && vtb_event_info(p->last.kind)->family == VTB_FAMILY_ATOMIC;

		if (atomic && compares(w, &p->last)) {
			if (r->class == &core_use_after_free)
				repair_say(w,
				           " Or keep what %s names from being freed as long as somebody looks at it.",
				           repair_name(w, &p->first));
			return;
		}
		if (!atomic)
			continue;
		repair_say(w, " Or make %s a compare-exchange that fails if %s is not what %s has loaded.",
		           repair_place(w, &p->last, last, sizeof(last)), repair_name(w, &p->last),
		           repair_place(w, &p->first, first, sizeof(first)));
		return;
	}
}

static void say_steps(struct repair_text *w, const struct repair *r)
{
	const struct repair_piece *locked = repair_locked_piece(r);
	const uint32_t mutex = mutex_of_wait(r);
	char where[300];
	size_t n = 0;

	for (size_t i = 0; i < r->n_pieces; i++) {
		if (repair_piece_is_told(w, r, i))
			continue;
		repair_say(w, "%s", n++ ? " and " : "");
		repair_say_piece(w, &r->pieces[i]);
	}
	repair_say(w, n > 1 ? " must each be one step for the other: " : " must be one step: ");
	if (other_lock(r, locked))
		repair_say(w, "the threads hold different locks there, %s and %s: hold one that is the same for all.",
		           repair_lock_name(w, locked), repair_lock_name(w, other_lock(r, locked)));
	else if (locked && locked->shared && locked->locked && !repair_reads_under(w, r, locked))
		repair_say(w, "%s is held only shared at %s: hold it exclusively%s.", repair_lock_name(w, locked),
		           repair_place(w, &locked->first, where, sizeof(where)),
		           n == 1 && can_be_atomic(w, r) ? ", or make it one atomic operation" : "");
	else if (locked)
		repair_say_missing(w, r, locked);
	else if (mutex != VTB_NONE)
		repair_say(w, "hold `%s`, the mutex of the wait, over %s.", repair_variable(w, mutex),
		           n > 1 ? "each" : "it");
	else if (!repair_say_guard(w, r, n == 1 ? "all of it" : "all of each"))
		repair_say(w, n == 1 && can_be_atomic(w, r) ? "hold a lock over it, or make it one atomic operation."
		              : n == 1                      ? "hold one lock from the first to the last operation."
		                       : "hold one lock from the first to the last operation of each.");
	if (!locked && (n > 1 || !one_line(w, &r->pieces[0])))
		say_exchange(w, r);
	else if (locked && n == 1 && !locked->shared && !other_lock(r, locked))
		repair_say_look_again(w, r, locked);
	repair_say_instead(w, r);
}

const char *repair_verb(const struct vtb_core_op *op)
{
	const struct vtb_event_words *words = vtb_event_words(op->kind);

	return words->verb ? words->verb : "does";
}

const char *repair_name(struct repair_text *w, const struct vtb_core_op *op)
{
	return op->var < w->tab->n_variables ? repair_variable(w, op->var) : "it";
}

/* The first in full, others are the same of something else. */
static void say_freed(struct repair_text *w, const struct repair_flip *f)
{
	char sooner[300], later[300], done[300], how[500], when[100] = "freeing";
	const char *name = repair_name(w, &f->later);
	const bool the = !strncmp(name, "the ", strlen("the "));

	repair_place(w, &f->sooner, sooner, sizeof(sooner));
	repair_place(w, &f->later, later, sizeof(later));
	if (f->end && f != w->repair->flips) {
		repair_say(w, "Likewise %s: freed at %s, and %s %s it at %s.", name, later,
		           vtb_thread_path(w->tab, f->sooner.thread), repair_verb(&f->sooner), sooner);
		return;
	}
	if (repair_gives_back(f->from.kind) && repair_line(w, &f->from) < repair_line(w, &f->later))
		snprintf(when, sizeof(when), "line %u, where freeing begins", repair_line(w, &f->from));
	snprintf(how, sizeof(how), "for that thread");
	if (f->end)
		snprintf(how, sizeof(how),
		         "until that thread is done with it, at the latest at its end (join it), or count the users,");
	else if (f->has_done)
		snprintf(how, sizeof(how), "until that thread is done with it, at %s, or count the users,",
		         repair_place(w, &f->done, done, sizeof(done)));
	repair_say(w, "%s%s must not be freed at %s before %s %s it at %s: wait %s before %s.", the ? "The" : "",
	           the ? name + 3 : name, later, vtb_thread_path(w->tab, f->sooner.thread), repair_verb(&f->sooner),
	           sooner, how, when);
}

static void say_flip(struct repair_text *w, const struct repair_flip *f)
{
	char sooner[300], later[300];

	if (f->later.kind == VTB_E_FREE) {
		say_freed(w, f);
		return;
	}
	repair_place(w, &f->sooner, sooner, sizeof(sooner));
	repair_place(w, &f->later, later, sizeof(later));
	repair_say(w, "%s, which %s %s, must come before %s, which %s %s: ", sooner, repair_verb(&f->sooner),
	           repair_name(w, &f->sooner), later, repair_verb(&f->later),
	           f->later.var == f->sooner.var ? "it" : repair_name(w, &f->later));
	repair_say_publication(w, f);
	repair_say_meeting(w, f);
	repair_say(w, "wait for it before line %u.", repair_line(w, &f->from));
}

/* Is it told by another order: one of the same lines that stands before it, or one that has all of its line come
 * sooner? */
static bool flip_told(const struct repair_text *w, const struct repair *r, size_t flip)
{
	const struct repair_flip *f = &r->flips[flip];
	char a[300], b[300];

	for (size_t i = 0; i < r->n_flips; i++) {
		const struct repair_flip *other = &r->flips[i];

		if (i == flip || strcmp(repair_place(w, &other->sooner, a, sizeof(a)),
		                        repair_place(w, &f->sooner, b, sizeof(b))) != 0)
			continue;
		if (i < flip &&
		    !strcmp(repair_place(w, &other->later, a, sizeof(a)), repair_place(w, &f->later, b, sizeof(b))))
			return true;
		if (repair_publishes_itself(w, f) && !repair_publishes_itself(w, other))
			return true;
	}
	return false;
}

uint32_t repair_site_at(const struct repair_text *w, const struct vtb_exec *x, size_t at)
{
	const struct vtb_core_op op = core_op_at(x, at);

	return w->opts->place ? w->opts->place(&op, x, w->opts->places) : op.site;
}

const char *repair_place_at(const struct repair_text *w, const struct vtb_exec *x, size_t at, char *buf, size_t size)
{
	return vtb_site_place(w->tab, repair_site_at(w, x, at), buf, size);
}

char *repair_class(const struct repair *r, size_t piece, const struct vtb_symtab *tab,
                   const struct vtb_core_repair_opts *opts, char *buf, size_t size)
{
	const struct repair_text w = { .tab = tab, .opts = opts, .repair = r };
	struct repair_scope scope;
	char *end;

	if (repair_scope_of(&w, &r->pieces[piece], &scope))
		vtb_short_function(scope.function, buf, size);
	else
		function_of(&w, &r->pieces[piece].first, buf, size);
	end = strrchr(buf, ':');
	*(end ? end : buf) = 0;
	return buf;
}

size_t repair_told(const struct repair *r, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts)
{
	const struct repair_text w = { .tab = tab, .opts = opts, .repair = r };
	size_t n = 0;

	for (size_t i = 0; i < r->n_pieces; i++)
		n += !repair_piece_is_told(&w, r, i);
	for (size_t i = 0; i < r->n_flips; i++)
		n += !flip_told(&w, r, i);
	return n;
}

char *repair_words(const struct repair *r, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                   char *buf, size_t size)
{
	struct repair_text w = { .buf = buf, .size = size, .tab = tab, .opts = opts, .repair = r };

	*buf = 0;
	if (repair_say_special(&w))
		return buf;
	if (r->n_pieces)
		say_steps(&w, r);
	if (repair_say_left_out(&w))
		return buf;
	for (size_t i = 0; i < r->n_flips; i++) {
		if (flip_told(&w, r, i))
			continue;
		repair_say(&w, "%s", w.used ? " " : "");
		say_flip(&w, &r->flips[i]);
	}
	return buf;
}
