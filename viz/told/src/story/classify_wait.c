/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waits for whom at the end of a run. */
#include "vtb/classify.h"

#include <string.h>

static int64_t pending_of(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread)
			return (int64_t)i;
	return -1;
}

static size_t birth_of(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread)
			return i;
	return VTB_EVENT_NONE;
}

/* The event by which somebody keeps the pending operation from going on: the lock taken, or the joined thread's birth.
 */
static size_t obstacle(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_event *pending)
{
	switch (pending->kind) {
	case VTB_E_LOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
		return vtb_exec_holder(x, pending->var, VTB_NONE);
	case VTB_E_COND_WAKE: /* woken, but another has the mutex */
		return pending->aux == VTB_NONE ? VTB_EVENT_NONE : vtb_exec_holder(x, pending->aux, VTB_NONE);
	case VTB_E_THREAD_JOIN:
		if (pending->var < tab->n_variables && tab->variables[pending->var].object < tab->n_objects)
			return birth_of(x, tab->objects[tab->variables[pending->var].object].thread);
		return VTB_EVENT_NONE;
	default:
		return VTB_EVENT_NONE;
	}
}

/* Follow "waits for" from the thread `start`; edges are stored until a thread comes up again. Returns the edges of the
 * circle, moved to the front. */
static size_t follow(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t start,
                     struct vtb_cycle_edge *edges, size_t max)
{
	uint32_t thread = start;
	size_t n = 0;

	while (n < max) {
		const int64_t at = pending_of(x, thread);
		const size_t by = at < 0 ? VTB_EVENT_NONE : obstacle(x, tab, &x->pending[at]);

		if (by == VTB_EVENT_NONE)
			return 0;
		edges[n].wanted = x->pending[at];
		edges[n++].taken = x->events[by];
		thread = x->events[by].thread;
		if (thread == start)
			return n;
	}
	return 0;
}

size_t vtb_classify_cycle(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_cycle_edge *edges,
                          size_t max)
{
	for (size_t i = 0; i < x->n_pending; i++) {
		const size_t n = follow(x, tab, x->pending[i].thread, edges, max);

		if (n)
			return n;
	}
	return 0;
}

size_t vtb_classify_misused(const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	const uint32_t var = x->outcome.var;

	if (var >= tab->n_variables)
		return VTB_EVENT_NONE;
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];
		const struct vtb_event_info *info = vtb_event_info(e->kind);

		if (info && info->family != VTB_FAMILY_MEMORY && e->var < tab->n_variables &&
		    strcmp(vtb_variable_name(tab, e->var), vtb_variable_name(tab, var)) == 0)
			return vtb_exec_holder(x, e->var, VTB_NONE);
	}
	return VTB_EVENT_NONE;
}

static size_t last_of(const struct vtb_exec *x, size_t end, uint32_t thread, uint32_t var, unsigned kind)
{
	for (size_t i = end; i-- > 0;)
		if (x->events[i].kind == kind && x->events[i].var == var &&
		    (thread == VTB_NONE || x->events[i].thread == thread))
			return i;
	return VTB_EVENT_NONE;
}

bool vtb_classify_abandoned(const struct vtb_exec *x, struct vtb_triple *ret)
{
	for (size_t i = 0; i < x->n_pending; i++) {
		const struct vtb_event *p = &x->pending[i];
		const unsigned kind = p->kind == VTB_E_PENDING ? p->aux : p->kind;
		const bool locks = kind == VTB_E_LOCK || kind == VTB_E_RDLOCK || kind == VTB_E_WRLOCK;
		const size_t taken = locks ? vtb_exec_holder(x, p->var, VTB_NONE) : VTB_EVENT_NONE;
		size_t end = x->n_events;

		while (taken != VTB_EVENT_NONE && end-- > taken)
			if (x->events[end].kind == VTB_E_THREAD_END &&
			    x->events[end].thread == x->events[taken].thread) {
				*ret = (struct vtb_triple){ .pattern = VTB_PATTERN_ABANDONED,
					                    .first = taken,
					                    .intruder = end,
					                    .second = VTB_EVENT_NONE,
					                    .pending = (int64_t)i };
				return true;
			}
	}
	return false;
}

/* The last signal or broadcast on `var` in [begin, end). */
static size_t last_signal(const struct vtb_exec *x, size_t begin, size_t end, uint32_t var)
{
	for (size_t i = end; i-- > begin;)
		if ((x->events[i].kind == VTB_E_COND_SIGNAL || x->events[i].kind == VTB_E_COND_BROADCAST) &&
		    x->events[i].var == var)
			return i;
	return VTB_EVENT_NONE;
}

/* A word of memory that threads wait for says by its value whether there is still something to wait for: no guess, as
 * with a condition. So such a wait is told first. */
static bool classify_word(const struct vtb_exec *x, struct vtb_triple *ret)
{
	for (size_t i = 0; i < x->n_pending; i++) {
		const struct vtb_event *p = &x->pending[i];
		const size_t wake = p->kind == VTB_E_FUTEX_WOKEN ? vtb_exec_passed_over(x, p) : VTB_EVENT_NONE;

		if (wake == VTB_EVENT_NONE)
			continue;
		*ret = (struct vtb_triple){ .pattern = VTB_PATTERN_TOO_FEW_WOKEN,
			                    .first = last_of(x, wake, p->thread, p->var, VTB_E_FUTEX_WAIT),
			                    .intruder = wake,
			                    .second = VTB_EVENT_NONE,
			                    .pending = (int64_t)i };
		return ret->first != VTB_EVENT_NONE;
	}
	return false;
}

#define NEWS_BACK 32u /* operations of a thread before its signal: what they write may be what it is about */

/* Does `read` find what the thread of the signal wrote shortly before it? */
static bool finds_news(const struct vtb_exec *x, const struct vtb_event *read, size_t signal)
{
	unsigned back = 0;

	for (size_t i = signal; i-- > 0 && back < NEWS_BACK;) {
		if (x->events[i].thread != x->events[signal].thread)
			continue;
		if (vtb_classify_is_data(&x->events[i]) && vtb_event_conflict(&x->events[i], read) &&
		    vtb_classify_writes(&x->events[i]))
			return true;
		back++;
	}
	return false;
}

/* Whoever looks, between the signal and the wait, at what the signal was about, and waits all the same, has not missed
 * it: that is not what it waits for. */
static bool has_looked(const struct vtb_exec *x, size_t wait, size_t signal)
{
	for (size_t i = wait; i-- > signal + 1;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != x->events[wait].thread)
			continue;
		if ((e->kind == VTB_E_LOCK && e->var == x->events[wait].aux) || e->kind == VTB_E_COND_WAKE)
			return false;
		if (vtb_classify_is_data(e) && vtb_event_is(e, VTB_EV_READS) && finds_news(x, e, signal))
			return true;
	}
	return false;
}

/* The wait that is pending, and the signal that did not end it. False: it has not waited. */
static bool classify_condition(const struct vtb_exec *x, size_t pending, struct vtb_triple *ret)
{
	const struct vtb_event *p = &x->pending[pending];
	const size_t wait = last_of(x, x->n_events, p->thread, p->var, VTB_E_COND_WAIT);
	size_t before, after;

	if (wait == VTB_EVENT_NONE)
		return false;
	before = last_signal(x, 0, wait, p->var);
	after = last_signal(x, wait, x->n_events, p->var);
	*ret = (struct vtb_triple){ .pattern = VTB_PATTERN_STUCK,
		                    .first = wait,
		                    .intruder = VTB_EVENT_NONE,
		                    .second = VTB_EVENT_NONE,
		                    .pending = (int64_t)pending };
	if (after != VTB_EVENT_NONE) {
		ret->pattern =
		    x->events[after].kind == VTB_E_COND_SIGNAL ? VTB_PATTERN_TOO_FEW_WOKEN : VTB_PATTERN_STUCK;
		ret->intruder = after;
	} else if (before != VTB_EVENT_NONE &&
	           !(x->events[before].flags & VTB_EVF_VALUE && x->events[before].value) && /* it woke nobody */
	           !has_looked(x, wait, before)) {
		ret->pattern = VTB_PATTERN_LOST_WAKEUP;
		ret->intruder = before;
	}
	return true;
}

/* A signal woke another waiter, and nobody of those who signal that condition waits himself: else it may be no more
 * than a worker that waits idly for more to do. */
static bool is_left(const struct vtb_exec *x, const struct vtb_triple *t)
{
	const struct vtb_event *p = &x->pending[t->pending];

	for (size_t k = 0; k < x->n_pending; k++)
		if (x->pending[k].thread != p->thread && x->pending[k].kind == VTB_E_COND_WAKE &&
		    vtb_exec_has_signalled(x, x->pending[k].thread, p->var))
			return false;
	return t->pattern == VTB_PATTERN_TOO_FEW_WOKEN;
}

/* Of several waits that which says most: a signal that went by; one to another waiter; else one whose signal does not
 * depend on another that waits. */
static int rank_of(const struct vtb_exec *x, const struct vtb_triple *t)
{
	if (t->pattern == VTB_PATTERN_LOST_WAKEUP)
		return 3;
	return is_left(x, t) ? 2 : !vtb_exec_wait_hangs_on_another(x, (size_t)t->pending);
}

bool vtb_classify_wakeup(const struct vtb_exec *x, struct vtb_triple *ret)
{
	int best = -1;

	if (classify_word(x, ret))
		return true;
	for (size_t i = 0; i < x->n_pending; i++) {
		struct vtb_triple triple;
		int rank;

		if (x->pending[i].kind != VTB_E_COND_WAKE || !classify_condition(x, i, &triple))
			continue;
		rank = rank_of(x, &triple);
		if (rank > best)
			*ret = triple;
		best = rank > best ? rank : best;
	}
	return best >= 0;
}
