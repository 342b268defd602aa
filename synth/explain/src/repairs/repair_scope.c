/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "repair_scope.h"

#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "vtb/bounded_text.h"
#include "vtb/exec_waits.h"
#include "vtb/short_name.h"

/* Outermost first, unlike what they are made of. */
struct stack {
	const struct vtb_call *calls;
	size_t n;
	size_t at; /* of the operation in its run, or VTB_EVENT_NONE */
};

static const struct vtb_call *call(const struct stack *s, size_t depth)
{
	return &s->calls[s->n - 1 - depth];
}

static struct stack stack_at(const struct repair_text *w, const struct vtb_exec *x, size_t at, uint32_t thread,
                             uint32_t site)
{
	struct stack s = { .at = at };

	if (w->opts->calls)
		s.n = w->opts->calls(x, at, thread, site, w->opts->places, &s.calls);
	return s;
}

static bool is_own(const struct vtb_event *e, uint32_t thread)
{
	return e->thread == thread && vtb_event_is_operation(e);
}

/* Where the run that passes does what had still to come in the other one, if its thread comes there by the same
 * operations; or VTB_EVENT_NONE. */
static size_t comes_by(const struct vtb_exec *x, const struct vtb_exec *passing, const struct vtb_core_op *op)
{
	size_t i = 0;

	for (size_t k = 0; passing && k < passing->n_events; k++) {
		if (!is_own(&passing->events[k], op->thread))
			continue;
		while (i < x->n_events && !is_own(&x->events[i], op->thread))
			i++;
		if (i == x->n_events)
			return passing->events[k].site == op->site ? k : VTB_EVENT_NONE;
		if (x->events[i].site != passing->events[k].site || x->events[i].kind != passing->events[k].kind)
			return VTB_EVENT_NONE;
		i++;
	}
	return VTB_EVENT_NONE;
}

static struct stack stack_of(const struct repair_text *w, const struct vtb_exec *x, const struct vtb_core_op *op)
{
	const size_t at = core_place_in(x, op);
	const size_t other = at == VTB_EVENT_NONE ? comes_by(x, w->opts->passing, op) : at;
	struct stack s = stack_at(w, other == at ? x : w->opts->passing, other, op->thread, op->site);

	s.at = at;
	return s;
}

static bool same_function(const struct vtb_call *a, const struct vtb_call *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

/* So many outermost functions have both: the last of them may be at another line. */
static size_t common(const struct stack *a, const struct stack *b)
{
	size_t depth = 0;
	bool same = true;

	for (; same && depth < a->n && depth < b->n && same_function(call(a, depth), call(b, depth)); depth++)
		same = call(a, depth)->line == call(b, depth)->line;
	return depth;
}

/* Is the function at depth `depth - 1` of `a` under way in `s`, called from the same places? */
static bool is_under_way(const struct stack *s, const struct stack *a, size_t depth)
{
	return common(s, a) >= depth && s->n >= depth;
}

static bool same_stack(const struct stack *a, const struct stack *b)
{
	return a->n == b->n && common(a, b) == a->n && a->n && call(a, a->n - 1)->line == call(b, b->n - 1)->line;
}

/* Of a function that a compiler has put into its caller twice each has places of its own. Its first lock is one, where
 * an access may be one of several of its line. */
static bool comes_again(const struct vtb_exec *x, const struct stack *first, const struct stack *again, size_t depth)
{
	const struct vtb_event *e = &x->events[first->at], *other = &x->events[again->at];

	return same_stack(first, again) && e->kind == other->kind &&
	       (e->site == other->site || (first->n == depth && core_takes_lock(x, first->at) != VTB_NONE));
}

/* Is that function called anew between the two ends, perhaps? Then the first thing that it does comes again. */
static bool called_anew(const struct repair_text *w, const struct repair_piece *p, const struct stack *a,
                        const struct stack *b, size_t depth)
{
	const struct vtb_exec *x = p->run;
	const size_t last = b->at == VTB_EVENT_NONE ? x->n_events : b->at + 1;
	struct stack head = { .n = 0 };

	for (size_t i = 0; i < last && !p->whole && a->at != VTB_EVENT_NONE; i++) {
		struct stack s;

		if (x->events[i].thread != p->first.thread)
			continue;
		s = stack_at(w, x, i, p->first.thread, x->events[i].site);
		if (!is_under_way(&s, a, depth))
			continue;
		if (!head.n)
			head = s;
		else if (i > a->at && comes_again(x, &head, &s, depth))
			return true;
	}
	return false;
}

static const char *called_at(const struct stack *s, size_t depth)
{
	return depth < s->n ? call(s, depth)->function : NULL;
}

bool repair_scope_of(const struct repair_text *w, const struct repair_piece *p, struct repair_scope *ret)
{
	const struct stack a = stack_of(w, p->run, &p->first), b = stack_of(w, p->whole ? p->whole : p->run, &p->last);
	const size_t shared = common(&a, &b);
	const struct stack *upper = &a, *lower = &b;
	size_t depth = shared;

	while (depth > 1 && called_anew(w, p, &a, &b, depth)) /* what the thread runs is called once */
		depth--;
	if (!depth)
		return false;
	if (call(&b, depth - 1)->line < call(&a, depth - 1)->line) {
		upper = &b;
		lower = &a;
	}
	*ret = (struct repair_scope){ .function = call(upper, depth - 1)->function,
		                      .file = call(upper, depth - 1)->file,
		                      .first = call(upper, depth - 1)->line,
		                      .last = call(lower, depth - 1)->line,
		                      .in_first = called_at(upper, depth),
		                      .in_last = called_at(lower, depth),
		                      .again = depth < shared,
		                      .rounds = upper == &b };
	return true;
}

bool repair_scope_holds(const struct repair_scope *outer, const struct repair_scope *inner)
{
	return !strcmp(outer->function, inner->function) && !strcmp(outer->file, inner->file) &&
	       outer->first <= inner->first && inner->last <= outer->last && outer->rounds >= inner->rounds;
}

static void add_place(struct vtb_bounded_text *t, const struct repair_scope *s, uint32_t line)
{
	const char *slash = strrchr(s->file, '/');

	vtb_bounded_text_add(t, "%s:%u", slash ? slash + 1 : s->file, line);
}

char *repair_scope_words(const struct repair_scope *s, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	char function[200], first[200] = "", last[200] = "";

	vtb_short_function(s->function, function, sizeof(function));
	if (s->in_first)
		vtb_short_function(s->in_first, first, sizeof(first));
	if (s->in_last)
		vtb_short_function(s->in_last, last, sizeof(last));
	vtb_bounded_text_add(&t, "%s at ", function);
	add_place(&t, s, s->first);
	if (s->first == s->last) {
		if (s->again && !strcmp(first, last))
			vtb_bounded_text_add(&t, " (calls of %s)", first);
		else if (*first || *last)
			vtb_bounded_text_add(&t, " (in %s%s%s)", first,
			                     *first && *last && strcmp(first, last) ? " and " : "",
			                     strcmp(first, last) ? last : "");
		return buf;
	}
	if (*first)
		vtb_bounded_text_add(&t, " (in %s)", first);
	vtb_bounded_text_add(&t, " to ");
	add_place(&t, s, s->last);
	if (*last)
		vtb_bounded_text_add(&t, " (in %s)", last);
	if (s->rounds)
		vtb_bounded_text_add(&t, " (from one round to the next)");
	return buf;
}
