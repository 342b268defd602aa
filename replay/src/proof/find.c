/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An operation's name looked up in a run. */
#include "vtb/replay.h"
#include "vtb/short_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINES_MAX 64 /* lines of one function at which a thread does the same kind of thing to one variable */

static bool is_visible(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_VISIBLE);
}

static const struct vtb_site *site_of(const struct vtb_symtab *tab, const struct vtb_event *e)
{
	static const struct vtb_site nowhere = { .function = "", .file = "", .text = "", .instruction = "" };

	return e->site < tab->n_sites ? &tab->sites[e->site] : &nowhere;
}

static uint32_t line_in(const struct vtb_site *s)
{
	return s->line >= s->function_line ? s->line - s->function_line : 0;
}

/* Names of heap objects hold the line of the allocation, "malloc at list.c:31": numbers after a colon may differ. */
static bool same_variable(const char *a, const char *b)
{
	while (*a && *b) {
		if (*a != *b)
			return false;
		if (*a == ':' && isdigit((unsigned char)a[1]) && isdigit((unsigned char)b[1])) {
			a += 1 + strspn(a + 1, "0123456789");
			b += 1 + strspn(b + 1, "0123456789");
			continue;
		}
		a++;
		b++;
	}
	return *a == *b;
}

struct query {
	const struct vtb_exec *x;
	const struct vtb_symtab *tab;
	const struct vtb_opname *name;
	uint32_t thread;
	bool any_variable;
	const char *exact; /* this variable alone; NULL: whatever same_variable() says */
};

static const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

static const char *variable_of(const struct query *q, const struct vtb_event *e)
{
	return e->var < q->tab->n_variables ? q->tab->variables[e->var].name : "";
}

/* A thread is born once and ends once; recordings do not say where in the source. */
static bool same_function(const struct query *q, const struct vtb_event *e)
{
	if ((e->kind == VTB_E_THREAD_BEGIN || e->kind == VTB_E_THREAD_END) && !text_or_empty(q->name->function)[0])
		return true;
	return !strcmp(site_of(q->tab, e)->function, text_or_empty(q->name->function));
}

/* It may come out otherwise here. */
static bool same_kind(const struct vtb_event *e, unsigned kind)
{
	return vtb_event_pending_kind(e->kind) == vtb_event_pending_kind(kind);
}

/* Leaving the line aside. */
static bool alike(const struct query *q, const struct vtb_event *e)
{
	if (e->thread != q->thread || !same_kind(e, q->name->kind) || !same_function(q, e))
		return false;
	if (q->any_variable)
		return true;
	return q->exact ? !strcmp(variable_of(q, e), q->exact)
	                : same_variable(variable_of(q, e), text_or_empty(q->name->variable));
}

struct line {
	uint32_t line_in_function;
	uint64_t hash;
	const struct vtb_site *site;
};

/* Lines of the function at which the thread does such a thing. */
static size_t collect(const struct query *q, struct line *lines)
{
	size_t n = 0, k;

	for (size_t i = 0; i < q->x->n_events; i++) {
		const struct vtb_event *e = &q->x->events[i];
		const struct vtb_site *s = site_of(q->tab, e);

		if (!is_visible(e) || !alike(q, e))
			continue;
		for (k = 0; k < n && lines[k].line_in_function != line_in(s); k++)
			;
		if (k == n && n < LINES_MAX)
			lines[n++] = (struct line){ line_in(s), s->text_hash, s };
	}
	return n;
}

__attribute__((format(printf, 4, 5))) static void say(struct vtb_place_note *note, enum vtb_place_state state,
                                                      const struct query *q, const char *fmt, ...)
{
	char place[160], rest[200], function[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(rest, sizeof(rest), fmt, args);
	va_end(args);
	snprintf(place, sizeof(place), "%.60s of thread %.20s in %.60s",
	         vtb_event_info(q->name->kind) ? vtb_event_info(q->name->kind)->name : "operation",
	         vtb_thread_path(q->tab, q->thread),
	         text_or_empty(q->name->function)[0] ? vtb_short_function(q->name->function, function, sizeof(function))
	                                             : "?");
	note->state = state;
	snprintf(note->text, sizeof(note->text), "%.150s, line %u: %.150s", place, q->name->line, rest);
}

/* The one line that is meant, or -ENOENT, -EEXIST. */
static int64_t choose_line(const struct query *q, const struct line *lines, size_t n, struct vtb_place_note *note)
{
	const struct vtb_opname *name = q->name;
	size_t same_place = n, same_text = n, n_text = 0;

	for (size_t i = 0; i < n; i++) {
		if (lines[i].line_in_function == name->line_in_function)
			same_place = i;
		if (name->text_hash && lines[i].hash == name->text_hash) {
			n_text++;
			same_text = i;
		}
	}
	if (same_place < n &&
	    (!name->text_hash || !lines[same_place].hash || lines[same_place].hash == name->text_hash)) {
		if (n_text > 1)
			say(note, VTB_PLACE_CHANGED, q,
			    "other lines of the function have the same text; taken for the one at the same distance "
			    "from its beginning");
		return (int64_t)same_place;
	}
	if (n_text == 1) {
		say(note, VTB_PLACE_MOVED, q, "found on line %u", lines[same_text].site->line);
		return (int64_t)same_text;
	}
	if (n_text > 1) {
		say(note, VTB_PLACE_AMBIGUOUS, q, "%zu lines of the function now have this text", n_text);
		return -EEXIST;
	}
	if (same_place < n) {
		say(note, VTB_PLACE_CHANGED, q, "the text of the line has changed, now \"%.60s\"",
		    lines[same_place].site->text);
		return (int64_t)same_place;
	}
	if (n == 1 && !text_or_empty(name->function)[0])
		return 0;
	if (n == 1) { /* an optimised build may do it on the line of the next statement */
		say(note, VTB_PLACE_CHANGED, q, "taken for the only such access of the function, on line %u",
		    lines[0].site->line);
		return 0;
	}
	say(note, VTB_PLACE_MISSING, q, "neither this line nor its text is met in the run");
	return -ENOENT;
}

/* Two objects whose names differ in line numbers only must not be taken for one. */
static int settle_variable(struct query *q, uint32_t line, struct vtb_place_note *note)
{
	const char *seen = NULL;

	for (size_t i = 0; i < q->x->n_events; i++) {
		const struct vtb_event *e = &q->x->events[i];

		if (!is_visible(e) || !alike(q, e) || line_in(site_of(q->tab, e)) != line)
			continue;
		if (!strcmp(variable_of(q, e), text_or_empty(q->name->variable))) {
			q->exact = variable_of(q, e); /* under its very name */
			return 0;
		}
		if (seen && strcmp(seen, variable_of(q, e))) {
			say(note, VTB_PLACE_AMBIGUOUS, q, "several objects may be the former %.60s",
			    text_or_empty(q->name->variable));
			return -EEXIST;
		}
		seen = variable_of(q, e);
	}
	return 0;
}

static int64_t count_to(const struct query *q, uint32_t line, struct vtb_place_note *note)
{
	const uint32_t wanted = q->name->occurrence ? q->name->occurrence : 1;
	uint32_t index = 0, seen = 0;

	for (size_t i = 0; i < q->x->n_events; i++) {
		const struct vtb_event *e = &q->x->events[i];

		if (!is_visible(e) || e->thread != q->thread)
			continue;
		index++;
		if (alike(q, e) && line_in(site_of(q->tab, e)) == line && ++seen == wanted)
			return index;
	}
	say(note, VTB_PLACE_MISSING, q, "happens %u times in the run, number %u was meant", seen, wanted);
	return -ENOENT;
}

int64_t vtb_replay_find(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t thread,
                        const struct vtb_opname *name, struct vtb_place_note *ret_note)
{
	struct query q = { .x = x, .tab = tab, .name = name, .thread = thread };
	struct line lines[LINES_MAX];
	size_t n = collect(&q, lines);
	int64_t k;
	int r;

	*ret_note = (struct vtb_place_note){ .state = VTB_PLACE_SAME };
	if (!n) {
		q.any_variable = true;
		n = collect(&q, lines);
		if (n)
			say(ret_note, VTB_PLACE_CHANGED, &q, "the variable is no longer called %.60s",
			    text_or_empty(name->variable));
	}
	k = choose_line(&q, lines, n, ret_note);
	if (k < 0)
		return k;
	r = settle_variable(&q, lines[k].line_in_function, ret_note);
	return r < 0 ? r : count_to(&q, lines[k].line_in_function, ret_note);
}

/* ---- did the run do what the schedule says it does? */

static const struct vtb_event *nth_of(const struct vtb_exec *x, uint32_t thread, uint32_t index)
{
	for (size_t i = 0; i < x->n_events && index; i++)
		if (is_visible(&x->events[i]) && x->events[i].thread == thread && --index == 0)
			return &x->events[i];
	return NULL;
}

/* An operation deep in a library is called by what its stack says, once that has been looked at; else by where it is.
 */
static bool may_be(const struct query *q, const struct vtb_event *e)
{
	return same_function(q, e) ||
	       (!site_of(q->tab, e)->line && !strcmp(variable_of(q, e), text_or_empty(q->name->variable)));
}

static bool op_fits(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_op *op,
                    struct vtb_place_note *note)
{
	const struct query q = { .x = x, .tab = tab, .name = &op->name, .thread = op->thread };
	const struct vtb_event *e =
	    op->index == VTB_OP_BY_SITE || !op->name.kind ? NULL : nth_of(x, op->thread, op->index);
	char place[128];

	if (!e || (same_kind(e, op->name.kind) && may_be(&q, e)))
		return true;
	say(note, VTB_PLACE_CHANGED, &q, "the run has %s at %.80s in its place",
	    vtb_event_info(e->kind) ? vtb_event_info(e->kind)->name : "something else",
	    vtb_site_place(tab, e->site, place, sizeof(place)));
	return false;
}

bool vtb_replay_follows(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_schedule *s,
                        struct vtb_place_note *ret_note)
{
	for (size_t i = 0; i < s->n_deviations; i++)
		if (!op_fits(x, tab, &s->deviations[i].after, ret_note))
			return false;
	for (size_t i = 0; i < s->n_constraints; i++)
		if (!op_fits(x, tab, &s->constraints[i].before, ret_note) ||
		    !op_fits(x, tab, &s->constraints[i].after, ret_note))
			return false;
	return true;
}
