/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks are taken in a circle, and all wait for ever, or until a deadline passes. */
#include <stdio.h>

#include "classes.h"
#include "core_names.h"

static bool is_lock(unsigned kind)
{
	const enum vtb_family family = vtb_event_info(kind)->family;

	return family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK;
}

static bool are_locks(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (!is_lock(v->core->literals[i].before.kind) || !is_lock(v->core->literals[i].after.kind))
			return false;
	return true;
}

static bool has_given_up(const struct vtb_event *e)
{
	return (e->kind == VTB_E_TIMEDLOCK || e->kind == VTB_E_RDLOCK || e->kind == VTB_E_WRLOCK) &&
	       e->flags & VTB_EVF_VALUE && e->value;
}

/* Who waits for a lock that this thread has, when event `at` is over? Its pending operation; n_pending: nobody. */
static size_t waiter(const struct vtb_exec *x, size_t at)
{
	for (size_t i = 0; i < x->n_pending; i++) {
		const struct vtb_event *p = &x->pending[i];
		const unsigned kind = p->kind == VTB_E_PENDING ? p->aux : p->kind;

		if (p->thread != x->events[at].thread && is_lock(kind) && core_holds_lock(x, at, p->var))
			return i;
	}
	return x->n_pending;
}

/* A wait for a lock that ended by its deadline: the one who has that waits for one that the thread has. */
static size_t given_up(const struct vtb_core_view *v)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = x->n_events; i-- > 0;) {
		const size_t other = has_given_up(&x->events[i]) ? waiter(x, i) : x->n_pending;

		if (other < x->n_pending && core_keeps_lock(x, x->pending[other].thread, x->events[i].var))
			return i;
	}
	return VTB_EVENT_NONE;
}

static bool fits(const struct vtb_core_view *v)
{
	return v->core->exec.outcome.verdict == VTB_V_DEADLOCK ||
	       (v->circle && are_locks(v) && given_up(v) != VTB_EVENT_NONE);
}

static void tell(const struct vtb_core_view *v, char *buf, size_t size)
{
	const struct vtb_exec *x = &v->core->exec;
	const size_t at = x->outcome.verdict == VTB_V_DEADLOCK ? VTB_EVENT_NONE : given_up(v);
	const struct vtb_core_op op = at == VTB_EVENT_NONE ? (struct vtb_core_op){ 0 } : core_op_at(x, at);
	const struct vtb_event *other;
	const char *wanted, *held;
	char place[300];

	if (at == VTB_EVENT_NONE)
		return;
	other = &x->pending[waiter(x, at)];
	wanted = vtb_variable_name(v->tab, op.var);
	held = vtb_variable_name(v->tab, other->var);
	snprintf(
	    buf, size,
	    "%s has %s and waits for %s at %s until its deadline passes, while %s has %s and waits for %s. Take %s and "
	    "%s in the same order everywhere",
	    vtb_thread_path(v->tab, op.thread), held, wanted,
	    vtb_site_place(v->tab, v->place ? v->place(&op, x, v->places) : op.site, place, sizeof(place)),
	    vtb_thread_path(v->tab, other->thread), wanted, held, held, wanted);
}

const struct vtb_core_class core_deadlock = {
	.name = "deadlock", .text = "locks taken in a circle", .fits = fits, .tell = tell
};
