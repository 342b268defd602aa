/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/chances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/wire.h"

static const struct {
	uint8_t kind;
	const char *words;
} rows[VTB_CHANCE_CLASSES] = {
	{ VTB_DEV_TIMEOUT, "passing deadlines" },        { VTB_DEV_SPURIOUS, "spurious wake-ups" },
	{ VTB_DEV_WAITER, "other waiters woken" },       { VTB_DEV_CAS_FAIL, "failing weak compare-exchanges" },
	{ VTB_DEV_SIGNAL, "signals that come earlier" },
};

uint32_t vtb_chance_class(unsigned kind)
{
	uint32_t i = 0;

	while (i + 1 < VTB_CHANCE_CLASSES && rows[i].kind != kind)
		i++;
	return i;
}

const char *vtb_chances_words(uint32_t kinds, char *buf, size_t size)
{
	size_t used = 0;

	if (size)
		buf[0] = '\0';
	for (size_t i = 0; i < VTB_CHANCE_CLASSES && used < size; i++)
		if (kinds >> rows[i].kind & 1)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", rows[i].words);
	return buf;
}

void vtb_chances_fini(struct vtb_chances *c)
{
	free(c->waiters);
	free(c->held);
	free(c->list);
	*c = (struct vtb_chances){ 0 };
}

bool vtb_chances_at_end(const struct vtb_exec *x)
{
	const enum vtb_verdict verdict = x->outcome.verdict;

	return verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

bool vtb_chances_any(const struct vtb_exec *x)
{
	if (!(x->kinds & VTB_EXEC_ALL_KINDS))
		return false;
	if (x->n_waits)
		return true;
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].flags & VTB_EVF_WEAK || x->events[i].kind == VTB_E_COND_WAIT)
			return true;
	return false;
}

void vtb_chances_begin(struct vtb_chances *c, const struct vtb_exec *x)
{
	c->x = x;
	c->any = vtb_chances_any(x);
	c->changed = true;
	c->next_wait = 0;
	c->tickets = 0;
	c->n_waiters = c->n_held = c->n_list = 0;
}

/* Who waits at the point before event i. */
static int catch_up(struct vtb_chances *c, size_t i)
{
	for (; c->next_wait < c->x->n_waits && c->x->waits[c->next_wait].row <= i; c->next_wait++) {
		const struct vtb_wait *w = &c->x->waits[c->next_wait];

		c->changed = true;
		if (vtb_array_extend(c, waiters, w->thread + 1u, (struct vtb_chance_waiter){ 0 }) < 0)
			return -ENOMEM;
		if (w->kind == VTB_E_SIGNAL_DUE) {
			c->waiters[w->thread].due = w->armed;
			continue;
		}
		c->waiters[w->thread].kind = w->kind;
		c->waiters[w->thread].armed = w->kind && w->armed;
		c->waiters[w->thread].late_at = !w->kind && w->armed ? w->row + 1 : 0;
	}
	return 0;
}

static int add(struct vtb_chances *c, unsigned kind, uint32_t target, uint32_t var, const struct vtb_event *at)
{
	if (!(c->x->kinds >> kind & 1))
		return 0;
	if (vtb_array_room(c, list) < 0)
		return -ENOMEM;
	c->list[c->n_list++] = (struct vtb_chance){ .kind = (uint8_t)kind, .target = target, .var = var, .at = *at };
	return 0;
}

static bool is_held(const struct vtb_chances *c, uint32_t mutex)
{
	return mutex < c->n_held && c->held[mutex];
}

/* In a queue, and could leave it at once. */
static bool could_wake(const struct vtb_chances *c, const struct vtb_chance_waiter *w)
{
	return w->event.kind && !w->signalled && !is_held(c, w->event.aux);
}

/* While another holds the mutex a deadline makes a difference only just before a signal, which then reaches somebody
 * else or nobody. */
static bool could_miss(const struct vtb_chances *c, const struct vtb_chance_waiter *w, size_t i)
{
	const struct vtb_event *e = i < c->x->n_events ? &c->x->events[i] : NULL;

	return c->x->kinds & VTB_EXEC_LATE_UNDER_LOCK && e &&
	       (e->kind == VTB_E_COND_SIGNAL || e->kind == VTB_E_COND_BROADCAST) && w->event.kind && !w->signalled &&
	       e->var == w->event.var;
}

/* What time or chance could do to thread t at the point before event i. */
static int add_waiter(struct vtb_chances *c, uint32_t t, size_t i)
{
	const struct vtb_chance_waiter *w = &c->waiters[t];
	const struct vtb_event time = { .kind = w->kind,
		                        .var = w->event.kind ? w->event.var : VTB_NONE,
		                        .site = w->event.kind ? w->event.site : VTB_NONE,
		                        .thread = (uint16_t)t };
	const struct vtb_event signal_at = {
		.kind = VTB_E_SIGNAL_HANDLE, .var = VTB_NONE, .site = VTB_NONE, .thread = (uint16_t)t
	};
	const bool cond = w->kind == VTB_E_COND_WAKE, late = w->late_at == i + 1;
	int r = 0;

	c->changed |= late; /* at no other point */
	if (w->due)
		r = add(c, VTB_DEV_SIGNAL, t, VTB_CHANCE_CLOCK, &signal_at);
	if (r >= 0 && late && could_wake(c, w)) /* before its time was over */
		r = add(c, VTB_DEV_SPURIOUS, t, w->event.var, &w->event);
	if (r < 0 || !w->kind || (cond && !could_wake(c, w) && !could_miss(c, w, i)))
		return r;
	if (w->armed)
		r = add(c, VTB_DEV_TIMEOUT, t, VTB_CHANCE_CLOCK, &time);
	return r >= 0 && cond && could_wake(c, w) ? add(c, VTB_DEV_SPURIOUS, t, w->event.var, &w->event) : r;
}

int vtb_chances_before(struct vtb_chances *c, size_t i)
{
	const bool signals = i < c->x->n_events && (c->x->events[i].kind == VTB_E_COND_SIGNAL ||
	                                            c->x->events[i].kind == VTB_E_COND_BROADCAST);
	int r = c->any ? catch_up(c, i) : 0;

	c->changed |= c->any && signals;
	c->n_list = c->changed ? 0 : c->n_before;
	if (!c->changed)
		return r;
	c->changed = false;
	for (uint32_t t = 0; r >= 0 && t < c->n_waiters; t++)
		r = add_waiter(c, t, i);
	c->n_before = c->n_list;
	return r;
}

/* The waiter that has waited longest after `ticket`; NULL if there is none. */
static struct vtb_chance_waiter *waiter_after(struct vtb_chances *c, uint32_t var, uint32_t ticket)
{
	struct vtb_chance_waiter *best = NULL;

	for (size_t t = 0; t < c->n_waiters; t++) {
		struct vtb_chance_waiter *w = &c->waiters[t];

		if (w->event.kind && w->event.var == var && !w->signalled && w->ticket > ticket &&
		    (!best || w->ticket < best->ticket))
			best = w;
	}
	return best;
}

int vtb_chances_of(struct vtb_chances *c, size_t i)
{
	const struct vtb_event *e = &c->x->events[i];
	const struct vtb_chance_waiter *w;
	uint32_t place = 0;
	int r = 0;

	c->n_list = 0;
	if (!c->any)
		return 0;
	if (e->flags & VTB_EVF_DEVIATED && (e->deviation == VTB_DEV_WAITER || e->deviation == VTB_DEV_CAS_FAIL))
		return 0;
	if (e->flags & VTB_EVF_WEAK || e->kind == VTB_E_COND_SIGNAL)
		c->changed = true; /* the list, at least */
	if (e->flags & VTB_EVF_WEAK)
		return add(c, VTB_DEV_CAS_FAIL, 0, e->var, e);
	if (e->kind != VTB_E_COND_SIGNAL)
		return 0;
	w = waiter_after(c, e->var, 0);
	while (r >= 0 && w && (w = waiter_after(c, e->var, w->ticket)))
		r = add(c, VTB_DEV_WAITER, ++place, e->var, e);
	return r;
}

static int count_held(struct vtb_chances *c, uint32_t mutex, bool taken)
{
	if (mutex >= VTB_CHANCE_CLOCK)
		return 0;
	if (vtb_array_extend(c, held, (size_t)mutex + 1, 0) < 0)
		return -ENOMEM;
	if (taken)
		c->held[mutex]++;
	else if (c->held[mutex])
		c->held[mutex]--;
	return 0;
}

static void signal(struct vtb_chances *c, const struct vtb_event *e)
{
	uint32_t place = e->flags & VTB_EVF_DEVIATED && e->deviation == VTB_DEV_WAITER ? e->place : 0;
	struct vtb_chance_waiter *w = waiter_after(c, e->var, 0);

	while (w && place--)
		w = waiter_after(c, e->var, w->ticket);
	if (w)
		w->signalled = true;
}

/* Do waiters change by it, or whether they could go on? */
static inline bool matters(unsigned kind)
{
	switch (kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_UNLOCK:
	case VTB_E_COND_WAIT:
	case VTB_E_COND_WAKE:
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
		return true;
	default:
		return false;
	}
}

static int feed(struct vtb_chances *c, const struct vtb_event *e)
{
	struct vtb_chance_waiter *w;

	if (vtb_array_extend(c, waiters, e->thread + 1u, (struct vtb_chance_waiter){ 0 }) < 0)
		return -ENOMEM;
	w = &c->waiters[e->thread];
	switch (e->kind) {
	case VTB_E_UNLOCK:
		return count_held(c, e->var, false);
	case VTB_E_COND_WAIT:
		*w = (struct vtb_chance_waiter){ .event = *e, .ticket = ++c->tickets, .due = w->due };
		return count_held(c, e->aux, false);
	case VTB_E_COND_WAKE:
		w->event.kind = 0;
		return count_held(c, e->aux, true);
	case VTB_E_COND_SIGNAL:
		signal(c, e);
		return 0;
	case VTB_E_COND_BROADCAST:
		while ((w = waiter_after(c, e->var, 0)))
			w->signalled = true;
		return 0;
	default:
		return e->value == 0 ? count_held(c, e->var, true) : 0;
	}
}

int vtb_chances_feed(struct vtb_chances *c, size_t i)
{
	const struct vtb_event *e = &c->x->events[i];

	if (!c->any || !matters(e->kind))
		return 0;
	c->changed = true;
	return feed(c, e);
}

uint32_t vtb_chances_possible(struct vtb_chances *c, const struct vtb_exec *x)
{
	uint32_t kinds = 0;
	int r = 0;

	vtb_chances_begin(c, x);
	for (size_t i = 0; c->any && r >= 0 && i < x->n_events; i++) {
		r = vtb_chances_before(c, i);
		for (size_t k = 0; k < c->n_list; k++)
			kinds |= 1u << c->list[k].kind;
		if (r >= 0)
			r = vtb_chances_of(c, i);
		for (size_t k = 0; r >= 0 && k < c->n_list; k++)
			kinds |= 1u << c->list[k].kind;
		if (r >= 0)
			r = vtb_chances_feed(c, i);
	}
	if (x->outcome.flags & VTB_OUT_TIMED)
		kinds |= 1u << VTB_DEV_TIMEOUT & x->kinds;
	return r < 0 ? VTB_EXEC_ALL_KINDS : kinds;
}
