/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/exec_waits.h"

static bool takes(const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_LOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
		return true;
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
		return (e->flags & VTB_EVF_VALUE) == 0 || e->value == 0;
	default:
		return false;
	}
}

static bool gives(const struct vtb_event *e)
{
	return e->kind == VTB_E_UNLOCK || e->kind == VTB_E_RWUNLOCK;
}

/* What the event does to the lock `var`: 1 taken, -1 given back, 0 nothing. A wait on a condition does both, to its
 * mutex. */
static int effect(const struct vtb_event *e, uint32_t var)
{
	if (e->kind == VTB_E_COND_WAIT && e->aux == var)
		return -1;
	if (e->kind == VTB_E_COND_WAKE && e->aux == var)
		return 1;
	if (e->var != var)
		return 0;
	return takes(e) ? 1 : gives(e) ? -1 : 0;
}

size_t vtb_exec_holder(const struct vtb_exec *x, uint32_t var, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];
		bool given = false;

		if (effect(e, var) <= 0 || (thread != VTB_NONE && e->thread != thread))
			continue;
		for (size_t j = i + 1; j < x->n_events && !given; j++)
			given = x->events[j].thread == e->thread && effect(&x->events[j], var) < 0;
		if (!given)
			return i;
	}
	return VTB_EVENT_NONE;
}

/* The lock that a pending operation needs and cannot have; VTB_NONE: it waits for something else. */
static uint32_t wanted(const struct vtb_event *e)
{
	switch (e->kind == VTB_E_PENDING ? e->aux : e->kind) {
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
	const unsigned kind = e->kind == VTB_E_PENDING ? e->aux : e->kind;
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
