/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread goes on after a wait, without testing again what it waited for. */
#include <string.h>

#include "classes.h"
#include "core_names.h"

/* The thread's last operation before event `at` of this kind, or VTB_EVENT_NONE. */
static size_t last_own(const struct vtb_exec *x, size_t at, unsigned kind)
{
	for (size_t i = at; i-- > 0;)
		if (x->events[i].thread == x->events[at].thread && x->events[i].kind == kind)
			return i;
	return VTB_EVENT_NONE;
}

static bool is_one_line(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	const struct vtb_site *one, *other;

	if (a == b || a >= tab->n_sites || b >= tab->n_sites)
		return a == b;
	one = &tab->sites[a];
	other = &tab->sites[b];
	return one->line && one->line == other->line && !strcmp(one->file, other->file);
}

static uint32_t users_place(const struct vtb_core_view *v, size_t at)
{
	const struct vtb_core_op op = core_op_at(&v->core->exec, at);

	return v->place(&op, &v->core->exec, v->places);
}

/* A compiler may turn a loop so that its test stands there twice, before the first wait and after each. What a library
 * looks at for two lines of the user's, as a container's size, is the same line of the library. */
static bool is_same_place(const struct vtb_core_view *v, size_t a, size_t b)
{
	const struct vtb_event *events = v->core->exec.events;

	return is_one_line(v->tab, events[a].site, events[b].site) &&
	       (!v->place || is_one_line(v->tab, users_place(v, a), users_place(v, b)));
}

/* Does the thread come to the place of the test again between the wake-up and `at`? Or look at the same elsewhere, once
 * it has let its lock go: what it does then is no longer what the wait was for. */
static bool looks_again(const struct vtb_core_view *v, size_t test, size_t wake, size_t at)
{
	const struct vtb_exec *x = &v->core->exec;
	const struct vtb_event *e = &x->events[test];
	bool let_go = false;

	for (size_t i = wake + 1; i <= at; i++) {
		const struct vtb_event *own = &x->events[i];

		if (own->thread != e->thread)
			continue;
		let_go |= own->kind == VTB_E_UNLOCK;
		if (is_same_place(v, i, test) || (let_go && own->var == e->var && vtb_event_is(own, VTB_EV_READS)))
			return true;
	}
	return false;
}

/* Does the thread wait there again before it lets its lock go? Then it has come round a loop: the compiler knows what a
 * test finds right after a write, and the first is not to be seen. */
static bool waits_again(const struct vtb_core_view *v, size_t wait, size_t wake)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = wake + 1; i < x->n_events; i++)
		if (x->events[i].thread == x->events[wait].thread && !core_is_access(x->events[i].kind))
			return x->events[i].kind == VTB_E_COND_WAIT && is_same_place(v, i, wait);
	return false;
}

/* What it looked at between its last lock and the wait: does it look at any of these again between the wake-up and
 * `at`? A condition of several parts need not be looked at whole. */
static bool tested_again(const struct vtb_core_view *v, size_t wait, size_t wake, size_t at)
{
	const struct vtb_exec *x = &v->core->exec;
	bool tested = false;

	for (size_t test = wait; test-- > 0;) {
		const struct vtb_event *e = &x->events[test];

		if (e->thread != x->events[wait].thread)
			continue;
		if (tested && !core_is_access(e->kind))
			break;
		tested |= core_is_access(e->kind);
		if (core_is_access(e->kind) && looks_again(v, test, wake, at))
			return true;
	}
	return !tested; /* nothing was: nothing could be again */
}

/* To test again helps only against those who have to wait until this thread lets its lock go. */
static bool is_kept_out(const struct vtb_exec *x, size_t at, size_t other)
{
	const uint32_t lock = core_some_lock(x, at);

	return other == VTB_EVENT_NONE || lock == VTB_NONE || core_holds_lock(x, other, lock);
}

static bool used_untested(const struct vtb_core_view *v, const struct vtb_core_op *op, size_t at, size_t other)
{
	const struct vtb_exec *x = &v->core->exec;
	const size_t wake =
	    core_is_data(op) && at != VTB_EVENT_NONE ? last_own(x, at, VTB_E_COND_WAKE) : VTB_EVENT_NONE;
	const size_t wait = wake == VTB_EVENT_NONE ? VTB_EVENT_NONE : last_own(x, wake, VTB_E_COND_WAIT);

	return wait != VTB_EVENT_NONE && !tested_again(v, wait, wake, at) && !waits_again(v, wait, wake) &&
	       is_kept_out(x, at, other);
}

bool core_used_untested(const struct vtb_core_view *v, size_t literal)
{
	return used_untested(v, &v->core->literals[literal].before, v->before[literal].at, v->after[literal].at);
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++)
		if (core_used_untested(v, i) ||
		    used_untested(v, &v->core->literals[i].after, v->after[i].at, v->before[i].at))
			return true;
	return false;
}

const struct vtb_core_class core_check_not_repeated = { .name = "check-not-repeated",
	                                                .text = "the condition is not tested again after the wait",
	                                                .fits = fits };
