/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lock a repair is to hold, and where it is missing. */
#include "classes/classes.h"
#include "core_names.h"
#include "repair_text.h"

#include <stdio.h>
#include <string.h>

/* By its name, if people gave it one, else by where it is taken. */
static const char *lock_name(struct repair_text *w, const struct vtb_exec *x, size_t at, uint32_t lock)
{
	const char *name = repair_variable(w, lock);
	const bool nameless = !strncmp(name, "byte ", strlen("byte "));
	const size_t taken = nameless && at != VTB_EVENT_NONE ? vtb_core_taken(x, at, lock) : VTB_EVENT_NONE;
	char *words = w->names[w->n_names++ % REPAIR_NAMES], place[150];

	if (taken == VTB_EVENT_NONE)
		snprintf(words, sizeof(w->names[0]), "`%.190s`", name);
	else
		snprintf(words, sizeof(w->names[0]), "the lock that is taken at %s",
		         repair_place_at(w, x, taken, place, sizeof(place)));
	return words;
}

const char *repair_lock_name(struct repair_text *w, const struct repair_piece *p)
{
	return lock_name(w, p->run, core_place_in(p->run, &p->first), p->lock);
}

static bool lets_go(const struct vtb_event *e, uint32_t lock)
{
	return (e->kind == VTB_E_UNLOCK || e->kind == VTB_E_RWUNLOCK) && e->var == lock;
}

/* What is let go in the middle of a step, by what that calls, cannot be held over all of it. */
static bool is_let_go_within(const struct repair *r, uint32_t lock)
{
	for (size_t i = 0; i < r->n_pieces; i++) {
		const struct repair_piece *p = &r->pieces[i];
		const size_t first = core_place_in(p->run, &p->first), last = core_place_in(p->run, &p->last);

		for (size_t k = first; first != VTB_EVENT_NONE && last != VTB_EVENT_NONE && k <= last; k++)
			if (p->run->events[k].thread == p->first.thread && lets_go(&p->run->events[k], lock))
				return true;
	}
	return false;
}

bool repair_say_guard(struct repair_text *w, const struct repair *r, const char *over)
{
	struct vtb_core_view v;
	struct vtb_core_op held;
	uint32_t lock;
	char where[300];

	if (vtb_core_view_of(r->core, w->tab, &v) < 0)
		return false;
	lock = vtb_core_guard(&v, &held);
	vtb_core_view_fini(&v);
	if (lock != VTB_NONE && is_let_go_within(r, lock))
		lock = VTB_NONE;
	if (lock != VTB_NONE)
		repair_say(w, "%s is held at %s already, hold it%s over %s.",
		           lock_name(w, &r->core->exec, core_place_in(&r->core->exec, &held), lock),
		           repair_place(w, &held, where, sizeof(where)),
		           core_holds_shared(&r->core->exec, core_place_in(&r->core->exec, &held), lock)
		               ? ", exclusively,"
		               : "",
		           over);
	return lock != VTB_NONE;
}

void repair_say_look_again(struct repair_text *w, const struct repair *r, const struct repair_piece *locked)
{
	char last[300];

	if (!locked->locked && core_writes(&locked->last) && locked->run == &r->core->exec && !locked->whole)
		repair_say(w, " Or look again, once it is held at %s, whether that is still to be done.",
		           repair_place(w, &locked->last, last, sizeof(last)));
}

/* Of n steps that are told: which ones lack the lock, and which have it at both ends, but let it go in between, as two
 * calls do that each take it? */
struct lacking {
	size_t n, bare, gaps, first_gap;
};

static struct lacking lacking(const struct repair_text *w, const struct repair *r, uint32_t lock)
{
	struct lacking l = { 0 };

	for (size_t i = 0; i < r->n_pieces; i++) {
		const struct repair_piece *p = &r->pieces[i];

		if (repair_piece_is_told(w, r, i))
			continue;
		if (p->lock != lock)
			l.bare++;
		else if (!p->locked && l.gaps++ == 0)
			l.first_gap = l.n;
		l.n++;
	}
	return l;
}

/* Does its thread write what the core is about? */
static bool writes_data(const struct repair *r, const struct repair_piece *p)
{
	for (size_t i = 0; i < r->core->n_literals; i++) {
		const struct vtb_order_literal *l = &r->core->literals[i];

		if ((l->before.thread == p->first.thread && core_writes(&l->before)) ||
		    (l->after.thread == p->first.thread && core_writes(&l->after)))
			return true;
	}
	return false;
}

bool repair_reads_under(const struct repair_text *w, const struct repair *r, const struct repair_piece *locked)
{
	return locked->locked && locked->shared && !writes_data(r, locked) && lacking(w, r, locked->lock).bare;
}

static void say_gap(struct repair_text *w, const struct repair_piece *locked, const struct lacking *l)
{
	static const char *const nth[] = { "the first", "the second", "the third" };

	repair_say(w, "%s is held at both ends of %s, but let go in between: hold it throughout%s.",
	           repair_lock_name(w, locked),
	           l->n == 1                                                     ? "it"
	           : l->gaps == l->n                                             ? "each"
	           : l->gaps == 1 && l->first_gap < sizeof(nth) / sizeof(nth[0]) ? nth[l->first_gap]
	                                                                         : "some",
	           l->bare          ? " each"
	           : locked->shared ? ", and exclusively"
	                            : "");
}

static void say_bare(struct repair_text *w, const struct repair *r, const struct repair_piece *locked)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_pieces; i++) {
		if (repair_piece_is_told(w, r, i) || r->pieces[i].lock == locked->lock)
			continue;
		repair_say(w, "%s", n++ ? " and " : "");
		repair_say_piece(w, &r->pieces[i]);
	}
	repair_say(w, ", too.");
}

void repair_say_missing(struct repair_text *w, const struct repair *r, const struct repair_piece *locked)
{
	const struct lacking l = lacking(w, r, locked->lock);
	char where[300];

	if (l.gaps) {
		say_gap(w, locked, &l);
		return;
	}
	repair_say(w, "%s is held at %s already, hold it over ", repair_lock_name(w, locked),
	           repair_place(w, &locked->first, where, sizeof(where)));
	if (l.bare && l.n > 2)
		say_bare(w, r, locked);
	else
		repair_say(w, "%s%s.",
		           l.n == 1         ? "all of it"
		           : locked->locked ? "the other, too"
		                            : "all of each",
		           locked->shared ? ", and exclusively there" : "");
}

bool repair_is_of_libc(const struct repair_text *w, const struct repair *r)
{
	static const char *const begins[] = { "libc.so.", "strtok()::" };

	for (size_t i = 0; r->n_pieces && i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(vtb_variable_name(w->tab, r->pieces[0].first.var), begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The next that the thread of event `at` does to the same variable, or VTB_EVENT_NONE. */
static size_t next_own(const struct vtb_exec *x, size_t at)
{
	for (size_t i = at + 1; i < x->n_events; i++)
		if (x->events[i].thread == x->events[at].thread && x->events[i].var == x->events[at].var)
			return i;
	return VTB_EVENT_NONE;
}

static const struct vtb_site *site_of(const struct repair_text *w, const struct vtb_exec *x, size_t at)
{
	const uint32_t site = repair_site_at(w, x, at);

	return site < w->tab->n_sites ? &w->tab->sites[site] : NULL;
}

/* Does what is done at `next` follow in the same call, as far as lines tell? What a loop comes back to, or another
 * call, does not go by what was done before. */
static bool follows(const struct repair_text *w, const struct vtb_exec *x, size_t at, size_t next)
{
	const struct vtb_site *a = site_of(w, x, at), *b = site_of(w, x, next);

	return a && b && a->function && b->function && !strcmp(a->function, b->function) && b->line >= a->line;
}

/* An update that returns what it has made of the variable, which is loaded all the same: meanwhile it may be another.
 */
static bool say_returned(struct repair_text *w, const struct repair_piece *p)
{
	const size_t at = p->first.kind == VTB_E_ATOMIC_RMW ? core_place_in(p->run, &p->first) : VTB_EVENT_NONE;
	const size_t next = at == VTB_EVENT_NONE ? at : next_own(p->run, at);
	char update[300], load[300];

	if (next == VTB_EVENT_NONE || p->run->events[next].kind != VTB_E_ATOMIC_LOAD || !follows(w, p->run, at, next))
		return false;
	repair_say(w, " Or go by the value that %s returns, and do not load %s again at %s.",
	           repair_place(w, &p->first, update, sizeof(update)), repair_name(w, &p->first),
	           repair_place_at(w, p->run, next, load, sizeof(load)));
	return true;
}

void repair_say_instead(struct repair_text *w, const struct repair *r)
{
	if (repair_is_of_libc(w, r))
		repair_say(w, " Or call functions that keep nothing for all threads: those of the C library have names "
		              "in _r (strtok_r(), localtime_r()).");
	for (size_t i = 0; i < r->n_pieces; i++)
		if (say_returned(w, &r->pieces[i]))
			return;
}
