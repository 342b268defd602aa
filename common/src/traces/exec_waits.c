/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/exec_waits.h"

/* What the event does to the lock `var`: 1 taken, -1 given back, 0 nothing. */
static int effect(const struct vtb_event *e, uint32_t var)
{
	uint32_t lock;
	bool shared;
	const enum vtb_lock_change change = vtb_lock_change(e, &lock, &shared);

	return change == VTB_LOCK_SAME || lock != var ? 0 : change == VTB_LOCK_TAKEN ? 1 : -1;
}

size_t vtb_exec_holder(const struct vtb_exec *x, uint32_t var, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];
		long depth = 1; /* of a recursive lock */

		if (effect(e, var) <= 0 || (thread != VTB_NONE && e->thread != thread))
			continue;
		for (size_t j = i + 1; j < x->n_events && depth > 0; j++)
			depth += x->events[j].thread == e->thread ? effect(&x->events[j], var) : 0;
		if (depth > 0)
			return i;
	}
	return VTB_EVENT_NONE;
}

static unsigned kind_of(const struct vtb_event *pending)
{
	return pending->kind == VTB_E_PENDING ? pending->aux : pending->kind;
}

/* The lock that a pending operation needs and cannot have; VTB_NONE: it waits for something else. */
static uint32_t wanted(const struct vtb_event *e)
{
	switch (kind_of(e)) {
	case VTB_E_LOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
		return e->var;
	default:
		return VTB_NONE;
	}
}

static bool waits(const struct vtb_event *e)
{
	const unsigned kind = kind_of(e);
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && info->flags & VTB_EV_BLOCKS && kind != VTB_E_THREAD_JOIN;
}

/* The pending operation of the thread that has what pending operation i waits for; n_pending: it waits for nobody's
 * lock. */
static size_t waits_for(const struct vtb_exec *x, size_t i)
{
	const uint32_t lock = wanted(&x->pending[i]);
	const size_t by = lock == VTB_NONE ? VTB_EVENT_NONE : vtb_exec_holder(x, lock, VTB_NONE);

	for (size_t k = 0; by != VTB_EVENT_NONE && k < x->n_pending; k++)
		if (x->pending[k].thread == x->events[by].thread)
			return k;
	return x->n_pending;
}

bool vtb_exec_wait_follows(const struct vtb_exec *x, size_t i)
{
	const size_t owner = waits_for(x, i);

	if (owner == x->n_pending || !waits(&x->pending[owner]))
		return false;
	for (size_t at = owner, n = 0; at != x->n_pending && n <= x->n_pending; at = waits_for(x, at), n++)
		if (at == i)
			return false; /* a circle */
	return true;
}

bool vtb_exec_has_signalled(const struct vtb_exec *x, uint32_t thread, uint32_t condition)
{
	for (size_t i = 0; i < x->n_events; i++)
		if ((x->events[i].kind == VTB_E_COND_SIGNAL || x->events[i].kind == VTB_E_COND_BROADCAST) &&
		    x->events[i].thread == thread && x->events[i].var == condition)
			return true;
	return false;
}

bool vtb_exec_wait_hangs_on_another(const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *p = &x->pending[i];

	for (size_t k = 0; k < x->n_pending && kind_of(p) == VTB_E_COND_WAKE; k++) {
		const struct vtb_event *other = &x->pending[k];

		if (kind_of(other) == VTB_E_COND_WAKE && other->var != p->var && other->thread != p->thread &&
		    vtb_exec_has_signalled(x, other->thread, p->var) &&
		    !vtb_exec_has_signalled(x, p->thread, other->var))
			return true;
	}
	return false;
}

/* The value of the word at `addr` that the events in [begin, end) leave there, if they tell it. */
static bool word_after(const struct vtb_exec *x, size_t begin, size_t end, uint64_t addr, uint64_t *ret)
{
	for (size_t i = end; i-- > begin;) {
		const struct vtb_event *e = &x->events[i];
		const struct vtb_event_info *info = vtb_event_info(e->kind);

		if (!info || (info->family != VTB_FAMILY_MEMORY && info->family != VTB_FAMILY_ATOMIC) ||
		    e->addr != addr || e->size != sizeof(uint32_t) || !(e->flags & VTB_EVF_VALUE))
			continue;
		*ret = e->value;
		return true;
	}
	return false;
}

static bool has_changed(const struct vtb_exec *x, size_t wait)
{
	const uint64_t addr = x->events[wait].addr;
	uint64_t before, now;

	return word_after(x, 0, wait, addr, &before) && word_after(x, wait, x->n_events, addr, &now) && before != now;
}

size_t vtb_exec_passed_over(const struct vtb_exec *x, const struct vtb_event *pending)
{
	const bool word = kind_of(pending) == VTB_E_FUTEX_WOKEN;
	const unsigned waits_by = word ? VTB_E_FUTEX_WAIT : VTB_E_COND_WAIT;
	const unsigned wakes_by = word ? VTB_E_FUTEX_WAKE : VTB_E_COND_SIGNAL;
	size_t passed = VTB_EVENT_NONE;

	if (!word && kind_of(pending) != VTB_E_COND_WAKE)
		return VTB_EVENT_NONE;
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread == pending->thread && e->kind == waits_by)
			return passed == VTB_EVENT_NONE || (word && !has_changed(x, i)) ? VTB_EVENT_NONE : passed;
		if (e->kind == wakes_by && e->var == pending->var && e->flags & VTB_EVF_VALUE && e->value &&
		    passed == VTB_EVENT_NONE)
			passed = i;
	}
	return VTB_EVENT_NONE;
}
