/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semaphore lets one in at a time, until somebody posts it who has not waited for it: then two are in. */
#include <stdio.h>

#include "classes.h"
#include "core_names.h"

static bool takes(const struct vtb_event *e)
{
	return e->kind == VTB_E_SEM_WAIT || (e->kind == VTB_E_SEM_TRYWAIT && !(e->flags & VTB_EVF_VALUE && e->value));
}

/* Has the thread, before event `end`, waited for the semaphore and not posted it since? */
static bool has(const struct vtb_exec *x, size_t end, uint32_t thread, uint32_t sem)
{
	for (size_t i = end; i-- > 0;)
		if (x->events[i].thread == thread && x->events[i].var == sem &&
		    (takes(&x->events[i]) || x->events[i].kind == VTB_E_SEM_POST))
			return takes(&x->events[i]);
	return false;
}

/* Another thread than the one of event `at` has it there. */
static bool other_has(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t at, uint32_t sem)
{
	for (uint32_t t = 0; t < tab->n_threads; t++)
		if (t != x->events[at].thread && has(x, at, t, sem))
			return true;
	return false;
}

/* In the run that passes everybody who waits for it is alone with it then, and posts it. */
static bool is_lock(const struct vtb_core_view *v, uint32_t sem)
{
	const struct vtb_exec *x = v->passing;
	bool taken = false;

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].var == sem && takes(&x->events[i])) {
			taken = true;
			if (other_has(x, v->tab, i, sem))
				return false;
		}
	for (uint32_t t = 0; t < v->tab->n_threads; t++)
		if (has(x, x->n_events, t, sem))
			return false;
	return taken;
}

/* The last post before event `end` by who had not waited, or VTB_EVENT_NONE. */
static size_t posted_by_others(const struct vtb_exec *x, size_t end, uint32_t sem)
{
	for (size_t i = end; i-- > 0;)
		if (x->events[i].kind == VTB_E_SEM_POST && x->events[i].var == sem &&
		    !has(x, i, x->events[i].thread, sem))
			return i;
	return VTB_EVENT_NONE;
}

/* Where the second one comes in, and who let it in; false: it is no such core. */
static bool find(const struct vtb_core_view *v, size_t *ret_in, size_t *ret_post)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < x->n_events && v->passing; i++) {
		const uint32_t sem = takes(&x->events[i]) ? x->events[i].var : VTB_NONE;

		if (sem == VTB_NONE || !other_has(x, v->tab, i, sem) || !is_lock(v, sem))
			continue;
		*ret_in = i;
		*ret_post = posted_by_others(x, i, sem);
		return *ret_post != VTB_EVENT_NONE;
	}
	return false;
}

/* Do both ends of a literal have the semaphore, at the same time? */
static bool both_have(const struct vtb_core_view *v, uint32_t sem)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < v->core->n_literals; i++) {
		const size_t before = v->before[i].at;
		const size_t after = v->after[i].at == VTB_EVENT_NONE ? x->n_events : v->after[i].at;

		if (before != VTB_EVENT_NONE && core_is_data(&v->core->literals[i].before) &&
		    has(x, before, v->core->literals[i].before.thread, sem) &&
		    has(x, after, v->core->literals[i].before.thread, sem) &&
		    has(x, after, v->core->literals[i].after.thread, sem))
			return true;
	}
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	size_t in, post;

	return find(v, &in, &post) && both_have(v, v->core->exec.events[in].var);
}

static const char *place(const struct vtb_core_view *v, size_t at, char *buf, size_t size)
{
	const struct vtb_core_op op = core_op_at(&v->core->exec, at);

	return vtb_site_place(v->tab, v->place ? v->place(&op, &v->core->exec, v->places) : op.site, buf, size);
}

static void tell(const struct vtb_core_view *v, char *buf, size_t size)
{
	const struct vtb_exec *x = &v->core->exec;
	char waits[300], posts[300];
	size_t in, post;

	if (!find(v, &in, &post))
		return;
	snprintf(
	    buf, size,
	    "%s keeps threads apart in a run that passes; here %s posts %s at %s without having waited for it, and %s "
	    "comes in at %s while another is in. Post it once for each wait, and in no other place",
	    vtb_variable_name(v->tab, x->events[in].var), vtb_thread_path(v->tab, x->events[post].thread),
	    vtb_variable_name(v->tab, x->events[in].var), place(v, post, posts, sizeof(posts)),
	    vtb_thread_path(v->tab, x->events[in].thread), place(v, in, waits, sizeof(waits)));
}

const struct vtb_core_class core_overposted = { .name = "semaphore-overposted",
	                                        .text = "a semaphore is posted without a wait for it",
	                                        .fits = fits,
	                                        .tell = tell };
