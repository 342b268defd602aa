/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes between a thread's test and its wait, and so is missed: another thread's change without the mutex that
 * both are under, or the handler of a signal. */
#include "vtb/classify.h"

#include <string.h>

/* Since when the thread has held the mutex that it gives back at event `wait`, or VTB_EVENT_NONE. */
static size_t held_since(const struct vtb_exec *x, size_t wait)
{
	const uint32_t mutex = x->events[wait].aux;

	for (size_t i = wait; mutex != VTB_NONE && i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != x->events[wait].thread)
			continue;
		if (e->kind == VTB_E_COND_WAKE && e->aux == mutex)
			return i;
		if (e->var == mutex && vtb_event_info(e->kind)->family == VTB_FAMILY_MUTEX)
			return vtb_event_is(e, VTB_EV_ACQUIRE) ? i : VTB_EVENT_NONE;
	}
	return VTB_EVENT_NONE;
}

static bool tests(const struct vtb_event *e)
{
	return vtb_classify_is_data(e) && vtb_event_is(e, VTB_EV_READS) && !vtb_classify_writes(e);
}

bool vtb_classify_overtaken(const struct vtb_exec *x, size_t wait, size_t signal, size_t *ret_test, size_t *ret_change)
{
	const size_t since = held_since(x, wait);

	if (since == VTB_EVENT_NONE)
		return false;
	for (size_t i = wait; i-- > since;) {
		if (x->events[i].thread != x->events[wait].thread || !tests(&x->events[i]))
			continue;
		for (size_t k = signal; k-- > i + 1;)
			if (x->events[k].thread == x->events[signal].thread && vtb_classify_writes(&x->events[k]) &&
			    vtb_classify_is_data(&x->events[k]) && vtb_event_overlap(&x->events[k], &x->events[i])) {
				*ret_test = i;
				*ret_change = k;
				return true;
			}
	}
	return false;
}

/* ---- signals */

static bool same_function(const struct vtb_symtab *tab, const struct vtb_event *a, const struct vtb_event *b)
{
	return a->site < tab->n_sites && b->site < tab->n_sites && tab->sites[a->site].function &&
	       tab->sites[b->site].function && !strcmp(tab->sites[a->site].function, tab->sites[b->site].function);
}

/* The last access of the thread to the same, before event `end`, or VTB_EVENT_NONE. */
static size_t last_access(const struct vtb_exec *x, size_t begin, size_t end, const struct vtb_event *like)
{
	for (size_t i = end; i-- > begin;)
		if (x->events[i].thread == like->thread && vtb_classify_is_data(&x->events[i]) &&
		    vtb_event_overlap(&x->events[i], like))
			return i;
	return VTB_EVENT_NONE;
}

static bool other_value(const struct vtb_event *a, const struct vtb_event *b)
{
	return !(a->flags & b->flags & VTB_EVF_VALUE) || a->value != b->value;
}

/* The handler that begins behind event `handle` ends where its thread does something in another function. Of what it
 * changes, what the thread has tested before it, and does not look at again until it waits. */
static bool misses(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t handle, size_t wait,
                   struct vtb_triple *ret)
{
	size_t first = VTB_EVENT_NONE;

	for (size_t i = handle + 1; i < wait; i++) {
		const struct vtb_event *e = &x->events[i];
		size_t test;

		if (e->thread != x->events[handle].thread)
			continue;
		if (first == VTB_EVENT_NONE)
			first = i;
		if (!same_function(tab, e, &x->events[first]))
			return false;
		if (!vtb_classify_is_data(e) || !vtb_classify_writes(e) ||
		    last_access(x, i + 1, wait, e) != VTB_EVENT_NONE)
			continue;
		test = last_access(x, 0, handle, e);
		if (test == VTB_EVENT_NONE || !tests(&x->events[test]) || !other_value(&x->events[test], e))
			continue;
		ret->first = test;
		ret->intruder = i;
		return true;
	}
	return false;
}

/* Where the thread began to wait for signals, or VTB_EVENT_NONE. */
static size_t opened(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].thread == thread && vtb_event_is_operation(&x->events[i]))
			return x->events[i].kind == VTB_E_SIGNAL_OPEN ? i : VTB_EVENT_NONE;
	return VTB_EVENT_NONE;
}

bool vtb_classify_missed_signal(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_triple *ret)
{
	for (size_t p = 0; p < x->n_pending; p++) {
		const struct vtb_event *pending = &x->pending[p];
		const size_t wait = pending->kind == VTB_E_SIGNAL_HANDLE ? opened(x, pending->thread) : VTB_EVENT_NONE;

		*ret = (struct vtb_triple){ .pattern = VTB_PATTERN_LOST_SIGNAL,
			                    .second = VTB_EVENT_NONE,
			                    .pending = (int64_t)p };
		for (size_t i = wait == VTB_EVENT_NONE ? 0 : wait; i-- > 0;) {
			const struct vtb_event *e = &x->events[i];

			if (e->thread != pending->thread || e->kind != VTB_E_SIGNAL_HANDLE)
				continue;
			if (e->var == pending->var) /* the end of the wait before this one */
				break;
			if (misses(x, tab, i, wait, ret))
				return true;
		}
	}
	return false;
}
