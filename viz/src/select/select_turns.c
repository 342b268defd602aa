/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the trace the schedule's deviations took place, and which events show the failure. */
#include <errno.h>

#include "select_priv.h"
#include "vtb/array.h"

size_t select_next_of(const struct vtb_trace *trace, uint32_t thread, size_t at)
{
	for (size_t i = at + 1; i < trace->n_events; i++)
		if (trace->events[i].thread == thread &&
		    (is_visible(&trace->events[i]) || trace->events[i].kind == VTB_E_PENDING))
			return i;
	return SELECT_NO_EVENT;
}

size_t select_previous_of(const struct vtb_trace *trace, uint32_t thread, size_t at)
{
	for (size_t i = at; i-- > 0;)
		if (trace->events[i].thread == thread && is_visible(&trace->events[i]))
			return i;
	return SELECT_NO_EVENT;
}

/* The thread's `index`-th visible operation. */
static size_t find_operation(const struct vtb_trace *trace, uint32_t thread, uint32_t index)
{
	uint32_t done = 0;

	for (size_t i = 0; index && i < trace->n_events; i++)
		if (trace->events[i].thread == thread && is_visible(&trace->events[i]) && ++done == index)
			return i;
	return SELECT_NO_EVENT;
}

/* The operation with which another thread took over. */
static size_t find_takeover(const struct vtb_trace *trace, const struct vtb_deviation *d, size_t from)
{
	for (size_t i = from == SELECT_NO_EVENT ? 0 : from + 1; i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (!is_visible(e))
			continue;
		if (d->kind == VTB_DEV_DEMOTE || d->kind == VTB_DEV_CAS_FAIL)
			return e->thread != d->after.thread || d->kind == VTB_DEV_CAS_FAIL ? i : SELECT_NO_EVENT;
		if (d->kind == VTB_DEV_WAITER || e->thread == d->target)
			return i;
	}
	return SELECT_NO_EVENT;
}

int select_turns(struct selecting *c)
{
	uint32_t number = 0;

	for (size_t i = 0; c->schedule && i < c->schedule->n_deviations; i++) {
		const struct vtb_deviation *d = &c->schedule->deviations[i];
		struct turn turn = {
			.kind = d->kind, .thread = d->after.thread, .var = d->var, .back = SELECT_NO_EVENT
		};

		turn.number = d->cost ? ++number : 0;
		turn.from = find_operation(c->trace, d->after.thread, d->after.index);
		if (d->after.index && turn.from == SELECT_NO_EVENT)
			continue; /* the run ended before it */
		turn.to = find_takeover(c->trace, d, turn.from);
		if (turn.to != SELECT_NO_EVENT)
			turn.back = select_next_of(c->trace, d->after.thread, turn.to);
		if (vtb_array_room(c->s, turns) < 0)
			return -ENOMEM;
		c->s->turns[c->s->n_turns++] = turn;
	}
	return 0;
}

static bool waits_are_the_failure(enum vtb_verdict verdict)
{
	return verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

static int add_failing(struct selecting *c, size_t i)
{
	if (vtb_array_room(c->s, failing) < 0)
		return -ENOMEM;
	c->s->failing[c->s->n_failing++] = i;
	return 0;
}

/* Operations that wait at the end. Who waits to join a stuck thread is a victim, not a cause: `joins`, if nothing else
 * is. */
static int add_waits(struct selecting *c, bool joins)
{
	for (size_t i = 0; i < c->trace->n_events; i++) {
		const struct vtb_event *e = &c->trace->events[i];
		const struct vtb_event_info *info = vtb_event_info(e->aux);

		if (e->kind != VTB_E_PENDING || !info || !(info->flags & VTB_EV_BLOCKS) ||
		    (e->aux == VTB_E_THREAD_JOIN) != joins)
			continue;
		if (add_failing(c, i) < 0)
			return -ENOMEM;
	}
	return 0;
}

int select_failing(struct selecting *c)
{
	const struct vtb_trace *trace = c->trace;
	const struct vtb_outcome *outcome = &trace->outcome;
	const bool waits = waits_are_the_failure(outcome->verdict);
	size_t last = SELECT_NO_EVENT;

	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].kind == VTB_E_FAIL)
			last = i;
	if (waits && (add_waits(c, false) < 0 || (!c->s->n_failing && add_waits(c, true) < 0)))
		return -ENOMEM;
	if (c->s->n_failing)
		return 0;
	if (last == SELECT_NO_EVENT && outcome->verdict != VTB_V_NONE && outcome->thread != VTB_NONE)
		last = select_previous_of(trace, outcome->thread, trace->n_events);
	return last == SELECT_NO_EVENT ? 0 : add_failing(c, last);
}

size_t select_holder(const struct vtb_trace *trace, uint32_t lock, size_t at)
{
	size_t holder = SELECT_NO_EVENT;

	for (size_t i = 0; i < at && i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];
		const struct vtb_event_info *info = vtb_event_info(e->kind);
		const bool lock_kind = info && (info->family == VTB_FAMILY_MUTEX || info->family == VTB_FAMILY_RWLOCK);

		if (lock_kind && e->var == lock)
			holder = e->flags & VTB_EVF_ACQUIRES   ? i
			         : e->flags & VTB_EVF_RELEASES ? SELECT_NO_EVENT
			                                       : holder;
		else if (e->aux == lock && e->kind == VTB_E_COND_WAIT)
			holder = SELECT_NO_EVENT;
		else if (e->aux == lock && e->kind == VTB_E_COND_WAKE)
			holder = i;
	}
	return holder;
}
