/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who does what last in a run, by variable. */
#include <errno.h>

#include "aim.h"

/* One mutex is enough to know of: the innermost. */
void aim_hold(uint32_t *held, const struct vtb_event *e)
{
	if (e->kind == VTB_E_COND_WAIT)
		*held = VTB_NONE;
	else if (e->kind == VTB_E_COND_WAKE)
		*held = e->aux;
	else if (vtb_event_info(e->kind)->family != VTB_FAMILY_MUTEX)
		return;
	else if (vtb_event_is(e, VTB_EV_ACQUIRE))
		*held = e->var;
	else if (vtb_event_is(e, VTB_EV_RELEASE) && *held == e->var)
		*held = VTB_NONE;
}

static bool is_data(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return family == VTB_FAMILY_MEMORY || family == VTB_FAMILY_ATOMIC;
}

bool aim_writes(const struct vtb_event *e)
{
	return !is_data(e) || vtb_event_is(e, VTB_EV_WRITES);
}

uint32_t aim_class_of(const struct aim *s, uint32_t thread)
{
	return thread < s->symmetry.n_class_of ? s->symmetry.class_of[thread] : thread;
}

/* A condition's waiter has to do with the mutex, too. */
uint32_t aim_other_var(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE ? e->aux : VTB_NONE;
}

static struct aim_last *last_of(struct aim *s, uint32_t var, uint32_t thread)
{
	uint64_t *first = vtb_map64_put(&s->by_var, var, 0);
	uint32_t i = first ? (uint32_t)*first - 1 : VTB_NONE;

	while (i != VTB_NONE && s->lasts[i].thread != thread)
		i = s->lasts[i].next;
	if (i != VTB_NONE)
		return &s->lasts[i];
	if (!first || vtb_array_room(s, lasts) < 0)
		return NULL;
	s->lasts[s->n_lasts] = (struct aim_last){ thread, VTB_NONE, VTB_NONE, VTB_NONE, (uint32_t)*first - 1 };
	*first = ++s->n_lasts;
	return &s->lasts[s->n_lasts - 1];
}

/* Of each class the lowest thread stands for all, and its second for those that meet the lowest. */
static bool stands_for_others(const struct aim *s, uint32_t thread, uint32_t *second)
{
	const uint32_t class = aim_class_of(s, thread);

	if (class == thread)
		return true;
	if (second[class] == VTB_NONE)
		second[class] = thread;
	return second[class] == thread;
}

/* Of thread `by`. */
static int note(struct aim *s, const struct vtb_event *e, uint32_t by, uint32_t var, uint32_t i)
{
	struct aim_last *last;

	if (var == VTB_NONE || (by == e->thread && !vtb_coverage_shared(s->space->coverage, var)))
		return 0;
	last = last_of(s, var, by);
	if (!last)
		return -ENOMEM;
	last->touched = i;
	last->lock = s->held[by];
	if (aim_writes(e))
		last->written = i;
	return 0;
}

/* What a handler does comes when the signal is sent: it is as if the sender did it. */
static int note_handled(struct aim *s, const struct vtb_exec *x)
{
	uint32_t sender = VTB_NONE, thread = VTB_NONE, n = 0;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const enum vtb_family family = vtb_event_info(e->kind)->family;

		if (e->kind == VTB_E_SIGNAL_SEND)
			sender = e->thread;
		if (e->kind == VTB_E_SIGNAL_HANDLE && sender != VTB_NONE && sender != e->thread) {
			thread = e->thread;
			n = AIM_HANDLED;
		} else if (e->thread == thread && n && family != VTB_FAMILY_THREAD) {
			r = note(s, e, sender, e->var, i);
			n--;
		}
	}
	return r;
}

/* What comes after a join cannot come before it: the joiner counts as far as its first one. */
int aim_read_lasts(struct aim *s, const struct vtb_exec *x, uint32_t *second, bool *joined)
{
	int r = 0;

	s->n_lasts = 0;
	vtb_map64_clear(&s->by_var);
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		joined[e->thread] |= e->kind == VTB_E_THREAD_JOIN;
		if (!vtb_event_is_operation(e) || joined[e->thread] || !stands_for_others(s, e->thread, second))
			continue;
		if (vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		aim_hold(&s->held[e->thread], e);
		r = note(s, e, e->thread, e->var, i);
		r = r < 0 ? r : note(s, e, e->thread, aim_other_var(e), i);
	}
	return r < 0 ? r : note_handled(s, x);
}
