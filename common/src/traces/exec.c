/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/exec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "varset.h"
#include "vtb/array.h"

void vtb_exec_fini(struct vtb_exec *x)
{
	free(x->events);
	free(x->enabled);
	free(x->pending);
	free(x->waits);
	free(x->states);
	free(x->clock_reads);
	free(x->passed);
	*x = (struct vtb_exec){ 0 };
}

int vtb_exec_copy(const struct vtb_exec *x, struct vtb_exec *ret)
{
	struct vtb_exec copy = *x;

	copy.events = copy.pending = NULL;
	copy.enabled = NULL;
	copy.waits = NULL;
	copy.states = NULL;
	copy.clock_reads = NULL;
	copy.passed = NULL;
	copy.cap_events = x->n_events;
	copy.cap_enabled = x->n_enabled;
	copy.cap_pending = x->n_pending;
	copy.cap_waits = x->n_waits;
	copy.cap_states = x->n_states;
	copy.cap_clock_reads = x->n_clock_reads;
	copy.cap_passed = x->n_passed;
	if (vtb_array_copy(x->events, x->n_events, sizeof(*x->events), &copy.events) < 0 ||
	    vtb_array_copy(x->enabled, x->n_enabled, sizeof(*x->enabled), &copy.enabled) < 0 ||
	    vtb_array_copy(x->pending, x->n_pending, sizeof(*x->pending), &copy.pending) < 0 ||
	    vtb_array_copy(x->waits, x->n_waits, sizeof(*x->waits), &copy.waits) < 0 ||
	    vtb_array_copy(x->states, x->n_states, sizeof(*x->states), &copy.states) < 0 ||
	    vtb_array_copy(x->clock_reads, x->n_clock_reads, sizeof(*x->clock_reads), &copy.clock_reads) < 0 ||
	    vtb_array_copy(x->passed, x->n_passed, sizeof(*x->passed), &copy.passed) < 0) {
		vtb_exec_fini(&copy);
		*ret = copy;
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

int vtb_exec_add_clock_read(struct vtb_exec *x, uint32_t thread)
{
	if (vtb_array_room(x, clock_reads) < 0)
		return -ENOMEM;
	x->clock_reads[x->n_clock_reads++] = (struct vtb_clock_read){ .row = (uint32_t)x->n_events, .thread = thread };
	return 0;
}

/* LOST and OWNED rows are no operations: the operation before event i, or -1. */
static int64_t before(const struct vtb_exec *x, size_t i)
{
	while (i-- > 0)
		if (!vtb_event_stands_for_others(&x->events[i]))
			return (int64_t)i;
	return -1;
}

/* Did event i go on in another thread than event `prev`? A failure of the whole process belongs to no thread. */
static bool switches(const struct vtb_exec *x, int64_t prev, size_t i)
{
	const struct vtb_event *e = &x->events[i];

	if (prev < 0 || vtb_event_stands_for_others(e) || e->thread == x->events[prev].thread)
		return false;
	return e->kind != VTB_E_FAIL || vtb_exec_enabled(x, i, e->thread);
}

/* The last that is told of what the thread of `prev` did before event i: behind its operation it may have passed over
 * others. */
static size_t last_row(const struct vtb_exec *x, size_t prev, size_t i)
{
	size_t last = prev;

	for (size_t k = prev + 1; k < i; k++)
		if (x->events[k].kind == VTB_E_OWNED && x->events[k].thread == x->events[prev].thread)
			last = k;
	return last;
}

/* p, still enabled, to q, unless q was enabled by the operation that p has just done. */
static bool preempts(const struct vtb_exec *x, int64_t prev, size_t i)
{
	if (!switches(x, prev, i) || !vtb_exec_enabled(x, i, x->events[prev].thread))
		return false;
	return vtb_exec_enabled(x, last_row(x, (size_t)prev, i), x->events[i].thread);
}

bool vtb_exec_preempts(const struct vtb_exec *x, size_t i)
{
	return preempts(x, before(x, i), i);
}

static uint32_t deviation_var(const struct vtb_event *e)
{
	return e->deviation == VTB_DEV_TIMEOUT || e->deviation == VTB_DEV_SIGNAL ? VTB_VARSET_CLOCK : e->var;
}

struct vtb_tuple vtb_exec_tuple(const struct vtb_exec *x)
{
	struct vtb_tuple tuple = { 0 };
	struct vtb_varset vars = { 0 };
	int64_t prev = -1;
	bool own = false; /* the last operation was to what only its thread touches: to what is not told */

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (preempts(x, prev, i)) {
			tuple.c++;
			if (!own)
				vtb_varset_add(&vars, x->events[prev].var);
		}
		if (e->flags & VTB_EVF_DEVIATED) {
			tuple.c++;
			vtb_varset_add(&vars, deviation_var(e));
		}
		if (!vtb_event_stands_for_others(e))
			prev = (int64_t)i;
		own = e->kind == VTB_E_OWNED || (own && e->kind == VTB_E_LOST);
	}
	tuple.v = vtb_varset_count(&vars);
	tuple.v = tuple.c && !tuple.v ? 1 : tuple.v;
	vtb_varset_fini(&vars);
	return tuple;
}

static bool wakes_its_thread(const struct vtb_event *e)
{
	return vtb_deviation_wakes(e->deviation);
}

static uint32_t deviation_target(const struct vtb_event *e)
{
	return wakes_its_thread(e) ? e->thread : e->deviation == VTB_DEV_WAITER ? e->place : 0;
}

/* A deviation that is not a switch, at the point after the operation before event e. */
static int deviate_as(struct vtb_schedule *s, const struct vtb_event *prev, uint32_t index, const struct vtb_event *e)
{
	return vtb_schedule_deviate(s, prev ? prev->thread : e->thread, prev ? index : 0,
	                            (enum vtb_deviation_kind)e->deviation, deviation_target(e), e->var, 1);
}

/* What the schedule must say at the point between `prev` (its thread has then done `index` operations) and event i. */
static int point_to_schedule(const struct vtb_exec *x, int64_t prev, uint32_t index, size_t i, struct vtb_schedule *s)
{
	const struct vtb_event *e = &x->events[i], *p = prev < 0 ? NULL : &x->events[prev];
	const bool deviated = e->flags & VTB_EVF_DEVIATED && e->deviation;
	int r = 0;

	if (deviated && wakes_its_thread(e))
		r = deviate_as(s, p, index, e);
	if (r >= 0 && switches(x, prev, i))
		r = vtb_schedule_deviate(s, p->thread, index, VTB_DEV_SWITCH, e->thread, p->var, preempts(x, prev, i));
	if (r >= 0 && deviated && !wakes_its_thread(e))
		r = deviate_as(s, p, index, e);
	return r;
}

static size_t threads_seen(const struct vtb_exec *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread >= n)
			n = x->events[i].thread + 1u;
	return n;
}

int vtb_exec_schedule(const struct vtb_exec *x, struct vtb_schedule *ret)
{
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	uint32_t *done = calloc(threads_seen(x) + 1, sizeof(*done)); /* visible operations of each thread so far */
	int64_t prev = -1;
	int r = done ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_OWNED)
			done[e->thread] += (uint32_t)e->value;
		if (vtb_event_stands_for_others(e))
			continue;
		r = point_to_schedule(x, prev, prev < 0 ? 0 : done[x->events[prev].thread], i, &s);
		if (vtb_event_is(e, VTB_EV_VISIBLE))
			done[e->thread]++;
		prev = (int64_t)i;
	}
	free(done);
	if (r < 0)
		vtb_schedule_fini(&s);
	else
		s.tuple = vtb_exec_tuple(x);
	*ret = s;
	return r;
}

void vtb_run_calls_fini(struct vtb_run_calls *c)
{
	free(c->calls);
	free(c->of_event);
	*c = (struct vtb_run_calls){ 0 };
}
