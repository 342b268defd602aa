/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls are told apart by the functions under way at each operation, as no call and no return stands in a run:
 *
 *     worker:9 > sell:18 > left:8     locks m       ─┐
 *     worker:9 > sell:18 > left:8     reads left_    ├─ a call of left       ─┐
 *     worker:9 > sell:18 > left:8     unlocks m     ─┘                        ├─ a call of sell
 *     worker:9 > sell:20 > take:9     locks m       ─── one of take, ...     ─┘
 *
 * A call goes on as long as its function, and those outside of it with their lines, are under way. If its first
 * operation comes again, the innermost one has been called again.
 */
#include "one_step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object_locks.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/map64.h"

#define NOBODY UINT32_MAX

struct step_call {
	uint32_t parent; /* NOBODY: the thread's outermost */
	uint32_t operations, data, others;
	uint8_t first_kind, last_kind;
	uint32_t first_site, first_depth, object; /* of its first operation */
	bool same_object;
	bool woken;                 /* and has not looked at anything since */
	bool cut;                   /* it has still to do something when the run ends */
	uint64_t function, from;    /* which, and the place that calls it */
	struct vtb_held_locks held; /* from its first access on, and all accesses have them */
};

/* What the calls of a function are that come to their end; does one of them have a caller that does more with what it
 * touches? Are there calls from several places? The place of the first stands behind. */
#define SOME_ONE_STEP 1u
#define SOME_MORE 2u
#define SOME_GO_BEYOND 4u
#define SOME_PLACES 8u
#define PLACE_SHIFT 8u

struct under_way {
	uint32_t *open; /* calls, the outermost first */
	size_t n_open, cap_open;
	struct vtb_call_stack stack;
	struct vtb_held_locks held;
};

struct steps {
	const struct vtb_exec *x;
	const struct vtb_run_calls *calls;
	struct step_call *call;
	size_t n_call, cap_call;
	uint32_t *inner; /* of each operation: its innermost call */
	struct under_way *threads;
	uint32_t n_threads;
	struct vtb_map64 touched;   /* call and object -> operations */
	struct vtb_map64 functions; /* -> SOME_* and a place */
	struct guards guards;
};

static size_t operations_of(const struct vtb_exec *x)
{
	return x->n_events + x->n_pending;
}

static const struct vtb_event *operation(const struct vtb_exec *x, size_t i)
{
	return i < x->n_events ? &x->events[i] : &x->pending[i - x->n_events];
}

/* What it is, or will be. */
static unsigned kind_of(const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = operation(x, i);

	return e->kind == VTB_E_PENDING ? e->aux : e->kind;
}

static enum vtb_family family_of(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info ? info->family : VTB_FAMILY_NONE;
}

static const struct vtb_call *call_at(const struct steps *s, const struct vtb_call_stack *stack, size_t depth)
{
	return &s->calls->calls[stack->first + stack->n - 1 - depth];
}

static bool same_function(const struct vtb_call *a, const struct vtb_call *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

/* ---- which calls an operation lies in */

/* So many of the calls under way go on at `stack`. */
static size_t going_on(const struct steps *s, const struct under_way *t, const struct vtb_call_stack *stack)
{
	size_t n = 0;
	bool same = true;

	for (; same && n < t->n_open && n < stack->n; n++) {
		const struct vtb_call *a = call_at(s, &t->stack, n), *b = call_at(s, stack, n);

		if (!same_function(a, b))
			break;
		same = a->line == b->line;
	}
	return n;
}

static bool begins_again(const struct step_call *c, const struct vtb_event *e, unsigned kind, size_t depth)
{
	return c->operations && c->parent != NOBODY && c->first_kind == kind && c->first_site == e->site &&
	       c->first_depth == depth;
}

static uint64_t hash_of(const struct vtb_call *c)
{
	return vtb_hash_text(c->function) ^ 3 * vtb_hash_text(c->file);
}

static int open_call(struct steps *s, struct under_way *t, const struct vtb_event *e, unsigned kind,
                     const struct vtb_call_stack *stack)
{
	if (vtb_array_room(s, call) < 0 || vtb_array_room(t, open) < 0)
		return -ENOMEM;
	s->call[s->n_call] = (struct step_call){ .parent = t->n_open ? t->open[t->n_open - 1] : NOBODY,
		                                 .first_kind = (uint8_t)kind,
		                                 .first_site = e->site,
		                                 .first_depth = (uint32_t)stack->n,
		                                 .object = e->var,
		                                 .same_object = true,
		                                 .function = hash_of(call_at(s, stack, t->n_open)) };
	if (t->n_open) {
		const struct vtb_call *caller = call_at(s, stack, t->n_open - 1);

		s->call[s->n_call].from =
		    vtb_hash((const uint64_t[]){ hash_of(caller), caller->line }, 16) >> PLACE_SHIFT;
	}
	t->open[t->n_open++] = (uint32_t)s->n_call++;
	return 0;
}

static int come_to(struct steps *s, struct under_way *t, const struct vtb_event *e, unsigned kind,
                   const struct vtb_call_stack *stack)
{
	int r = 0;

	t->n_open = going_on(s, t, stack);
	if (t->n_open == stack->n && begins_again(&s->call[t->open[t->n_open - 1]], e, kind, stack->n))
		t->n_open--;
	while (r == 0 && t->n_open < stack->n)
		r = open_call(s, t, e, kind, stack);
	t->stack = *stack;
	return r;
}

/* ---- what a call does */

static bool is_lock(unsigned kind)
{
	return family_of(kind) == VTB_FAMILY_MUTEX || family_of(kind) == VTB_FAMILY_RWLOCK;
}

static bool is_access(unsigned kind)
{
	return family_of(kind) == VTB_FAMILY_MEMORY || family_of(kind) == VTB_FAMILY_ATOMIC;
}

/* It is done while a lock is held, and lets others do no more than they do before or after. */
static bool is_of_monitor(unsigned kind)
{
	return kind == VTB_E_COND_SIGNAL || kind == VTB_E_COND_BROADCAST || kind == VTB_E_COND_WAIT ||
	       kind == VTB_E_COND_WAKE;
}

static uint64_t touching(uint32_t call, uint32_t object)
{
	return vtb_hash((const uint64_t[]){ call, object }, 2 * sizeof(uint64_t));
}

static int count(struct steps *s, uint32_t call, uint32_t object)
{
	uint64_t *n = object == VTB_NONE ? NULL : vtb_map64_put(&s->touched, touching(call, object), 0);

	if (n)
		++*n;
	return n || object == VTB_NONE ? 0 : -ENOMEM;
}

/* To what no other thread touches: it is no matter when. */
static bool is_aside(const struct steps *s, const struct vtb_event *e, unsigned kind)
{
	return is_access(kind) && !guards_shared(&s->guards, e->var);
}

static void add(struct steps *s, struct step_call *c, const struct vtb_event *e, unsigned kind,
                const struct vtb_held_locks *held)
{
	c->operations++;
	c->last_kind = (uint8_t)kind;
	c->same_object &= c->object == e->var;
	c->woken = kind == VTB_E_COND_WAKE || (c->woken && !is_access(kind));
	if (is_access(kind)) {
		if (c->data++ == 0)
			c->held = *held;
		else
			vtb_held_locks_meet(&c->held, held, true);
		guards_meet(&s->guards, e->var, &c->held);
	} else if (!is_lock(kind) && !is_of_monitor(kind)) {
		c->others++;
	}
}

static int see(struct steps *s, size_t i)
{
	const struct vtb_event *e = operation(s->x, i);
	const unsigned kind = kind_of(s->x, i);
	struct under_way *t = &s->threads[e->thread];
	const struct vtb_call_stack *stack = i < s->calls->n_of_event ? &s->calls->of_event[i] : NULL;
	int r = 0;

	s->inner[i] = NOBODY;
	if (stack && stack->n && !is_aside(s, e, kind)) {
		r = come_to(s, t, e, kind, stack);
		for (size_t k = 0; r == 0 && k < t->n_open; k++) {
			add(s, &s->call[t->open[k]], e, kind, &t->held);
			s->call[t->open[k]].cut |= i >= s->x->n_events;
			r = count(s, t->open[k], e->var);
		}
		if (r == 0)
			s->inner[i] = t->open[t->n_open - 1];
	}
	if (i < s->x->n_events)
		vtb_held_locks_step(&t->held, e, i);
	return r;
}

/* ---- which are left out */

static bool synchronises(unsigned kind)
{
	const enum vtb_family f = family_of(kind);

	return f == VTB_FAMILY_ATOMIC || f == VTB_FAMILY_MUTEX || f == VTB_FAMILY_RWLOCK || f == VTB_FAMILY_COND ||
	       f == VTB_FAMILY_SEM || f == VTB_FAMILY_BARRIER || f == VTB_FAMILY_FUTEX;
}

/* A wait is two operations. */
static bool is_wait(const struct step_call *c)
{
	return c->operations == 2 && ((c->first_kind == VTB_E_COND_WAIT && c->last_kind == VTB_E_COND_WAKE) ||
	                              (c->first_kind == VTB_E_BARRIER_ARRIVE && c->last_kind == VTB_E_BARRIER_LEAVE) ||
	                              (c->first_kind == VTB_E_FUTEX_WAIT && c->last_kind == VTB_E_FUTEX_WOKEN));
}

static bool does_one_step(const struct step_call *c)
{
	if (c->same_object && synchronises(c->first_kind) && (c->operations == 1 || is_wait(c)))
		return true;
	return c->data && !c->others && !c->woken && c->held.n;
}

static int learn(struct steps *s, const struct step_call *c)
{
	uint64_t *some = vtb_map64_put(&s->functions, c->function, c->from << PLACE_SHIFT);

	if (!some)
		return -ENOMEM;
	if (!c->cut)
		*some |= does_one_step(c) ? SOME_ONE_STEP : SOME_MORE;
	if (*some >> PLACE_SHIFT != c->from)
		*some |= SOME_PLACES;
	return 0;
}

static uint64_t function_of(const struct steps *s, const struct step_call *c)
{
	uint64_t some = 0;

	vtb_map64_get(&s->functions, c->function, &some);
	return some;
}

static bool is_one_step(const struct steps *s, const struct step_call *c)
{
	return (function_of(s, c) & (SOME_ONE_STEP | SOME_MORE)) == SOME_ONE_STEP;
}

/* Does a caller do more with what operation i touches? */
static int note_beyond(struct steps *s, size_t i)
{
	const uint32_t object = operation(s->x, i)->var;
	int r = 0;

	if (object == VTB_NONE)
		return 0;
	for (uint32_t c = s->inner[i]; r == 0 && c != NOBODY && s->call[c].parent != NOBODY; c = s->call[c].parent) {
		uint64_t inside = 0, outside = 0, some = function_of(s, &s->call[c]);

		vtb_map64_get(&s->touched, touching(c, object), &inside);
		vtb_map64_get(&s->touched, touching(s->call[c].parent, object), &outside);
		if (outside > inside)
			r = vtb_map64_set(&s->functions, s->call[c].function, some | SOME_GO_BEYOND);
	}
	return r;
}

static uint8_t left_out(const struct steps *s, size_t i)
{
	const unsigned kind = kind_of(s->x, i);
	uint32_t c = s->inner[i];
	uint8_t out = 0;

	if (!synchronises(kind) && !is_access(kind))
		return 0;
	for (uint8_t n = 1; c != NOBODY && s->call[c].parent != NOBODY && is_one_step(s, &s->call[c]) && n < UINT8_MAX;
	     n++) {
		if (function_of(s, &s->call[c]) & (SOME_GO_BEYOND | SOME_PLACES))
			out = n;
		c = s->call[c].parent;
	}
	return out;
}

/* ---- a run */

static int begin(struct steps *s)
{
	for (size_t i = 0; i < operations_of(s->x); i++)
		if (operation(s->x, i)->thread >= s->n_threads)
			s->n_threads = operation(s->x, i)->thread + 1u;
	s->inner = malloc((operations_of(s->x) + 1) * sizeof(*s->inner));
	s->threads = calloc(s->n_threads + 1ul, sizeof(*s->threads));
	return s->inner && s->threads ? guards_of_run(s->x, &s->guards) : -ENOMEM;
}

static void end(struct steps *s)
{
	for (uint32_t i = 0; s->threads && i < s->n_threads; i++)
		free(s->threads[i].open);
	free(s->threads);
	free(s->inner);
	free(s->call);
	vtb_map64_fini(&s->touched);
	vtb_map64_fini(&s->functions);
	guards_fini(&s->guards);
}

int vtb_one_step_calls(const struct vtb_exec *x, const struct vtb_run_calls *calls, uint8_t *ret)
{
	struct steps s = { .x = x, .calls = calls };
	int r = begin(&s);

	for (size_t i = 0; i < operations_of(x) && r == 0; i++)
		r = see(&s, i);
	for (size_t i = 0; i < s.n_call && r == 0; i++)
		r = learn(&s, &s.call[i]);
	for (size_t i = 0; i < operations_of(x) && r == 0; i++)
		r = note_beyond(&s, i);
	for (size_t i = 0; i < operations_of(x) && r == 0; i++)
		ret[i] = left_out(&s, i);
	end(&s);
	return r;
}
