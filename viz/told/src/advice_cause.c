/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to change where the orders of a cause go round, but no repair was tried that holds: each thread's part of the
 * circle is to be one step; or what a waiter tests is to be changed with its mutex held, or to be signalled. */
#include "advice.h"
#include "told_parts.h"

#include <stdio.h>
#include <string.h>

#include "vtb/short_name.h"

#define PARTS_MAX 4u

/* From one order's end to the beginning of the next, in one thread. */
struct part {
	const struct vtb_cause_op *first, *last;
};

static bool same_place(const struct vtb_cause_op *a, const struct vtb_cause_op *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

static bool has(const struct part *parts, size_t n, const struct part *p)
{
	for (size_t i = 0; i < n; i++)
		if (same_place(parts[i].first, p->first) && same_place(parts[i].last, p->last))
			return true;
	return false;
}

/* What had still to come when the run failed is the later one. */
static struct part part_of(const struct vtb_cause_op *a, const struct vtb_cause_op *b)
{
	const bool turned = b->op && (!a->op || b->op < a->op);

	return (struct part){ turned ? b : a, turned ? a : b };
}

static const struct vtb_cause_order *follower(const struct vtb_cause *c, const struct vtb_cause_order *o)
{
	for (size_t i = 0; i < c->n_orders; i++)
		if (&c->orders[i] != o && !strcmp(c->orders[i].before.thread, o->after.thread))
			return &c->orders[i];
	return NULL;
}

/* Each different one once. 0: the orders do not go round, or are too many, or of unknown places. */
static size_t find_parts(const struct vtb_cause *c, struct part *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *next = follower(c, &c->orders[i]);
		const struct part p = next ? part_of(&c->orders[i].after, &next->before) : (struct part){ NULL, NULL };

		if (!next || !p.first->line || !p.last->line)
			return 0;
		if (has(ret, n, &p))
			continue;
		if (n == PARTS_MAX)
			return 0;
		ret[n++] = p;
	}
	return n;
}

/* Lines of two functions are each told by its own. */
static void say_part(const struct part *p, const char *between, char *buf, size_t size)
{
	const bool two =
	    strcmp(p->first->function, p->last->function) != 0 && *p->first->function && *p->last->function;
	char first[ADVICE_PLACE], last[ADVICE_PLACE], own[ADVICE_PLACE] = "", other[ADVICE_PLACE] = "";
	const size_t used = strlen(buf);

	if (two) {
		vtb_short_function(p->first->function, own, sizeof(own));
		vtb_short_function(p->last->function, other, sizeof(other));
	}
	if (same_place(p->first, p->last))
		snprintf(buf + used, size - used, "%s%s", between, vtb_advice_place(p->first, first));
	else
		snprintf(buf + used, size - used, "%s%s%s%s to %s%s%s", between, own, two ? " at " : "",
		         vtb_advice_place(p->first, first), other, two ? " at " : "", vtb_advice_place(p->last, last));
}

/* Those of several lines first. */
static void say_parts(const struct part *parts, size_t n, char *buf, size_t size)
{
	size_t said = 0;

	for (int several = 1; several >= 0; several--)
		for (size_t i = 0; i < n; i++)
			if (same_place(parts[i].first, parts[i].last) != several) {
				say_part(&parts[i], !said ? "" : said + 1 < n ? ", " : " and ", buf, size);
				said++;
			}
}

/* A lock that is there already is the one to hold. */
static void say_lock(const struct vtb_cause *c, size_t n, char *buf, size_t size)
{
	char guard[400], *at = strstr(vtb_cause_guard_words(&c->guard, guard, sizeof(guard)), "` at ");

	if (!at)
		snprintf(buf, size,
		         n > 1 ? "each one step: hold the same lock over each" : "one step: hold a lock over it");
	else
		snprintf(buf, size, "%s one step: %.*s is held%s already, hold it over %s", n > 1 ? "each" : "",
		         (int)(at + 1 - guard), guard, at + 1, n > 1 ? "each" : "all of it");
}

/* Does the thread wait for others within it? Then no lock can be held over it. */
static bool waits_within(const struct part *p, const struct vtb_exec *run, const struct vtb_symtab *tab)
{
	uint32_t n = 0;

	for (size_t i = 0; run && i < run->n_events; i++) {
		const struct vtb_event *e = &run->events[i];

		if (strcmp(vtb_thread_path(tab, e->thread), p->first->thread) != 0 || !vtb_event_is_operation(e))
			continue;
		n++;
		if (e->kind == VTB_E_COND_WAKE && n > p->first->op && (!p->last->op || n < p->last->op))
			return true;
	}
	return false;
}

/* What a waiter was woken for is no longer so when it looks. */
static bool advise_round(const struct vtb_cause *c, const struct part *p, char *buf, size_t size)
{
	char test[ADVICE_PLACE], change[ADVICE_PLACE], name[ADVICE_PLACE];

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];

		if (!same_place(&o->after, p->last) || strcmp(o->after.thread, p->last->thread) ||
		    !vtb_advice_changes(&o->before) || strcmp(o->before.variable, o->after.variable) ||
		    !*o->after.variable)
			continue;
		snprintf(
		    buf, size,
		    "%s is changed again at %s before %s, which was woken, looks at it at %s: let it wait for what "
		    "nobody changes back, as a count of rounds. %s",
		    vtb_short_variable(o->after.variable, name, sizeof(name)), vtb_advice_place(&o->before, change),
		    o->after.thread, vtb_advice_place(&o->after, test), vtb_advice_not_proved);
		return true;
	}
	return false;
}

static void advise_step(const struct vtb_cause *c, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                        size_t size)
{
	struct part parts[PARTS_MAX];
	const size_t n = find_parts(c, parts);
	char lock[600];

	for (size_t i = 0; i < n; i++)
		if (waits_within(&parts[i], run, tab)) {
			(void)advise_round(c, &parts[i], buf, size);
			return;
		}
	if (!n)
		return;
	snprintf(buf, size, "Make ");
	say_parts(parts, n, buf, size);
	say_lock(c, n, lock, sizeof(lock));
	snprintf(buf + strlen(buf), size - strlen(buf), " %s. %s", *lock == ' ' ? lock + 1 : lock,
	         vtb_advice_not_proved);
}

/* The last order of a variable in which what should have come first came second. */
static void advise_first(const struct vtb_cause *c, char *buf, size_t size)
{
	char sooner[ADVICE_PLACE], later[ADVICE_PLACE], name[ADVICE_PLACE];

	for (size_t i = c->n_orders; i-- > 0;) {
		const struct vtb_cause_order *o = &c->orders[i];

		if (strcmp(o->before.variable, o->after.variable) || !o->before.line || !o->after.line)
			continue;
		snprintf(buf, size, "%s must come before %s: do it before the other thread can get at %s. %s",
		         vtb_advice_place(&o->after, sooner), vtb_advice_place(&o->before, later),
		         *o->after.variable ? vtb_short_variable(o->after.variable, name, sizeof(name)) : "it",
		         vtb_advice_not_proved);
		return;
	}
}

/* The order of a test and of the change that it came before. */
static void advise_predicate(const struct vtb_cause *c, char *buf, size_t size)
{
	char guard[400], test[ADVICE_PLACE], change[ADVICE_PLACE], name[ADVICE_PLACE];
	const char *at = strstr(vtb_cause_guard_words(&c->guard, guard, sizeof(guard)), "` at ");

	for (size_t i = 0; at && i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];

		if (!vtb_advice_changes(&o->after) || strcmp(o->before.variable, o->after.variable) ||
		    !same_place(&c->guard, &o->before) || !o->after.line)
			continue;
		snprintf(
		    buf, size, "Hold %.*s where %s is changed at %s: %s tests it with that held, until it waits. %s",
		    (int)(at + 1 - guard), guard,
		    *o->after.variable ? vtb_short_variable(o->after.variable, name, sizeof(name)) : "it",
		    vtb_advice_place(&o->after, change), vtb_advice_place(&o->before, test), vtb_advice_not_proved);
		return;
	}
}

/* Where the thread goes on is known if nothing else of the orders has happened. */
static void advise_loop(const struct vtb_cause *c, char *buf, size_t size)
{
	char use[ADVICE_PLACE];
	bool one = c->n_orders && c->orders[0].before.line;

	for (size_t i = 0; i < c->n_orders; i++)
		one &= !c->orders[i].after.op && same_place(&c->orders[i].before, &c->orders[0].before);
	snprintf(buf, size, "Test what is waited for again after the wait, in a loop%s%s. %s",
	         one ? ", before going on at " : "", one ? vtb_advice_place(&c->orders[0].before, use) : "",
	         vtb_advice_not_proved);
}

/* The order of what changes the class of an object and of a call of a virtual function. */
static void advise_object(const struct vtb_cause *c, char *buf, size_t size)
{
	char call[ADVICE_PLACE], change[ADVICE_PLACE], name[ADVICE_PLACE], function[ADVICE_PLACE], *dot;

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];
		const struct vtb_cause_op *write = vtb_advice_changes(&o->before) ? &o->before : &o->after,
		                          *read = vtb_advice_changes(&o->before) ? &o->after : &o->before;

		if (!strstr(read->variable, "_vptr.") || strcmp(read->variable, write->variable) || !read->line ||
		    !write->line)
			continue;
		vtb_short_variable(read->variable, name, sizeof(name));
		dot = strstr(name, "._vptr");
		if (dot)
			*dot = 0;
		else
			snprintf(name, sizeof(name), "the object");
		vtb_short_function(write->function, function, sizeof(function));
		if (strchr(function, '~'))
			snprintf(buf, size,
			         "%s calls a virtual function at %s while %s is in %s at %s: what derived classes have "
			         "is gone by then. Let that thread end (join it) before %s is destroyed, at the latest "
			         "first thing in the destructor of its own class. %s",
			         read->thread, vtb_advice_place(read, call), write->thread, function,
			         vtb_advice_place(write, change), name, vtb_advice_not_proved);
		else
			snprintf(buf, size,
			         "%s calls a virtual function at %s before %s has made all of the object at %s: let it "
			         "know of %s only once that is made. %s",
			         read->thread, vtb_advice_place(read, call), write->thread,
			         vtb_advice_place(write, change), name, vtb_advice_not_proved);
		return;
	}
}

static bool frees(const struct vtb_cause_op *op)
{
	return !strcmp(op->kind, "free");
}

/* Where the thread of the use, before it, did what the cause has besides: there it got hold of the block. NULL: it is
 * not known. */
static const struct vtb_cause_op *got_at(const struct vtb_cause *c, const struct vtb_cause_op *use)
{
	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_op *op = &c->orders[i].before;

		if (!strcmp(op->thread, use->thread) && op->line && op->op && (!use->op || op->op < use->op) &&
		    !same_place(op, use))
			return op;
	}
	return NULL;
}

/* The block must outlive its use: by a count of those who use it, or by a lock over all of that. */
static void advise_free(const struct vtb_cause *c, char *buf, size_t size)
{
	char freed[ADVICE_PLACE], use[ADVICE_PLACE], got[ADVICE_PLACE], name[ADVICE_PLACE], guard[400], lock[1200];
	const char *at = strstr(vtb_cause_guard_words(&c->guard, guard, sizeof(guard)), "` at ");

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];
		const struct vtb_cause_op *from = got_at(c, &o->after);

		if (!frees(&o->before) || frees(&o->after) || !o->before.line || !o->after.line)
			continue;
		lock[0] = 0;
		if (at && from && same_place(&c->guard, &o->before))
			snprintf(lock, sizeof(lock), ", or hold %.*s, which is held there, from %s to %s",
			         (int)(at + 1 - guard), guard, vtb_advice_place(from, got),
			         vtb_advice_place(&o->after, use));
		else if (from)
			snprintf(lock, sizeof(lock), ", or hold one lock there and from %s to %s",
			         vtb_advice_place(from, got), vtb_advice_place(&o->after, use));
		snprintf(
		    buf, size,
		    "Free %s at %s only when nobody can use it any more, as %s does at %s: count those who do%s. %s",
		    *o->before.variable ? vtb_short_variable(o->before.variable, name, sizeof(name)) : "it",
		    vtb_advice_place(&o->before, freed), o->after.thread, vtb_advice_place(&o->after, use), lock,
		    vtb_advice_not_proved);
		return;
	}
}

static bool are_alike(const struct vtb_causes *all)
{
	for (size_t i = 1; i < all->n_causes; i++)
		if (strcmp(all->causes[i].class, all->causes[0].class))
			return false;
	return true;
}

char *vtb_told_advise_causes(const struct vtb_causes *all, const struct vtb_exec *run, const struct vtb_symtab *tab,
                             char *buf, size_t size)
{
	const struct vtb_cause *c = &all->causes[0];

	buf[0] = 0;
	if (!strcmp(c->class, "pool-starvation"))
		vtb_advise_starved(buf, size);
	else if (c->detail && *c->detail) /* says what to do itself */
		return buf;
	else if (strstr(c->class, "atomicity"))
		advise_step(c, run, tab, buf, size);
	else if (!strcmp(c->class, "half-object"))
		advise_object(c, buf, size);
	else if (!strcmp(c->class, "predicate-without-mutex"))
		advise_predicate(c, buf, size);
	else if (!strcmp(c->class, "lost-wakeup"))
		vtb_advise_wait(c, buf, size);
	else if (!strcmp(c->class, "order-violation"))
		vtb_advise_late(all, buf, size);
	else if (!strcmp(c->class, "not-signalled"))
		vtb_advise_signal(c, run, tab, buf, size);
	else if (!strcmp(c->class, "livelock"))
		vtb_advise_livelock(run, buf, size);
	else if (!strcmp(c->class, "wait-under-lock"))
		vtb_advise_lock(c, run, tab, buf, size);
	else if (!strcmp(c->class, "check-not-repeated"))
		advise_loop(c, buf, size);
	else if (!strcmp(c->class, "use-after-free"))
		advise_free(c, buf, size);
	else if (!strcmp(c->class, "use-before-initialisation") && are_alike(all)) /* else it leaves what is no order */
		advise_first(c, buf, size);
	return buf;
}
