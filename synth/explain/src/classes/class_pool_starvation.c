/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a pool all wait within a task for another task of the same pool: nobody is left to run that.
 *
 * Of the failing run: all threads of one start routine wait to be woken, and none has ended. Before that each has taken
 * up work and handed on some, which nobody has looked at since. Of a run that passes: what is handed on so is looked at
 * by another of these threads, where it takes up work, and then it ends the wait, elsewhere in the code; nobody else
 * ends such a wait. Threads that meet at a barrier leave it one by one, and end the others' waits in the same call. */
#include <stdio.h>
#include <string.h>

#include "classes.h"
#include "core_names.h"
#include "vtb/short_name.h"

#define HANDED 256u /* last writes before a wait */
#define PAIRS 64u   /* places where work is handed on, and taken up */

/* In the run that passes. */
struct pair {
	uint32_t put, take; /* sites */
	size_t wake;        /* event */
};

struct pool {
	const struct vtb_exec *failing, *passing;
	const struct vtb_symtab *tab;
	uint32_t of; /* a thread of it */
	struct pair pairs[PAIRS];
	size_t n_pairs;
};

static const char *start_of(const struct vtb_symtab *tab, uint32_t thread)
{
	return thread < tab->n_threads && tab->threads[thread].start ? tab->threads[thread].start : "";
}

static const char *place_of(const struct vtb_symtab *tab, uint32_t thread)
{
	return thread < tab->n_threads && tab->threads[thread].place ? tab->threads[thread].place : "";
}

static bool is_of_pool(const struct pool *p, uint32_t thread)
{
	const char *start = start_of(p->tab, thread);

	return *start && !strcmp(start, start_of(p->tab, p->of)) &&
	       !strcmp(place_of(p->tab, thread), place_of(p->tab, p->of));
}

static unsigned kind_of(const struct vtb_event *pending)
{
	return pending->kind == VTB_E_PENDING ? pending->aux : pending->kind;
}

/* The kind that begins a wait which ends with this one; 0: it is no wait for what another thread does. */
static unsigned begins(unsigned kind)
{
	switch (kind) {
	case VTB_E_COND_WAKE:
		return VTB_E_COND_WAIT;
	case VTB_E_FUTEX_WOKEN:
		return VTB_E_FUTEX_WAIT;
	case VTB_E_SEM_WAIT:
		return VTB_E_SEM_WAIT;
	default:
		return 0;
	}
}

static bool wakes(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_SIGNAL || e->kind == VTB_E_COND_BROADCAST || e->kind == VTB_E_FUTEX_WAKE ||
	       e->kind == VTB_E_SEM_POST;
}

/* The last event of the thread before `end` that begins a wait, or ends one; VTB_EVENT_NONE. */
static size_t last_wait(const struct vtb_exec *x, size_t end, uint32_t thread, bool begun)
{
	for (size_t i = end; i-- > 0;) {
		const unsigned kind = x->events[i].kind;

		if (x->events[i].thread == thread &&
		    (begun ? kind == VTB_E_COND_WAIT || kind == VTB_E_FUTEX_WAIT : begins(kind) != 0))
			return i;
	}
	return VTB_EVENT_NONE;
}

/* ---- the run that passes */

static void add_pair(struct pool *p, uint32_t put, uint32_t take, size_t wake)
{
	for (size_t i = 0; i < p->n_pairs; i++)
		if (p->pairs[i].put == put && p->pairs[i].take == take)
			return;
	if (p->n_pairs < PAIRS)
		p->pairs[p->n_pairs++] = (struct pair){ put, take, wake };
}

/* What the thread has written since its last wait, before event `wait`, and the one that ends this one looks at. */
static void add_pairs(struct pool *p, size_t wait, size_t wake)
{
	const struct vtb_exec *x = p->passing;
	const size_t since = last_wait(x, wait, x->events[wait].thread, false);
	unsigned n = 0;

	for (size_t i = wait; i-- > (since == VTB_EVENT_NONE ? 0 : since) && n < HANDED;) {
		const struct vtb_event *put = &x->events[i];

		if (put->thread != x->events[wait].thread || !core_is_access(put->kind) ||
		    !vtb_event_is(put, VTB_EV_WRITES))
			continue;
		n++;
		for (size_t k = i + 1; k < wake; k++)
			if (x->events[k].thread == x->events[wake].thread && core_is_access(x->events[k].kind) &&
			    vtb_event_is(&x->events[k], VTB_EV_READS) && vtb_event_overlap(&x->events[k], put)) {
				add_pair(p, put->site, x->events[k].site, wake);
				break;
			}
	}
}

/* Who ended the wait that event `end` is the end of; VTB_EVENT_NONE: it cannot be told. */
static size_t woken_by(const struct vtb_exec *x, size_t wait, size_t end)
{
	for (size_t i = end; i-- > (x->events[end].kind == VTB_E_SEM_WAIT ? 0 : wait);)
		if (wakes(&x->events[i]) && x->events[i].var == x->events[end].var &&
		    x->events[i].thread != x->events[end].thread)
			return i;
	return VTB_EVENT_NONE;
}

static bool is_same_line(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	return a == b || (a < tab->n_sites && b < tab->n_sites && tab->sites[a].line &&
	                  tab->sites[a].line == tab->sites[b].line && !strcmp(tab->sites[a].file, tab->sites[b].file));
}

/* All waits of these threads at that site. False: others end them, too, or such a call itself, or it is not known who
 * does. */
static bool look_at_waits(struct pool *p, uint32_t site)
{
	const struct vtb_exec *x = p->passing;
	bool any = false;

	for (size_t end = 0; end < x->n_events; end++) {
		const unsigned kind = begins(x->events[end].kind);
		size_t wait = end, wake;

		if (!kind || !is_of_pool(p, x->events[end].thread))
			continue;
		if (kind != x->events[end].kind)
			wait = last_wait(x, end, x->events[end].thread, true);
		if (wait == VTB_EVENT_NONE || x->events[wait].kind != kind || x->events[wait].site != site)
			continue;
		wake = woken_by(x, wait, end);
		if (wake == VTB_EVENT_NONE || !is_of_pool(p, x->events[wake].thread) ||
		    is_same_line(p->tab, x->events[wake].site, site))
			return false;
		any = true;
		add_pairs(p, wait, wake);
	}
	return any;
}

/* ---- the run that fails */

static bool looked_at_later(const struct vtb_exec *x, size_t at)
{
	for (size_t i = at + 1; i < x->n_events; i++)
		if (x->events[i].thread != x->events[at].thread && core_is_access(x->events[i].kind) &&
		    vtb_event_is(&x->events[i], VTB_EV_READS) && vtb_event_overlap(&x->events[i], &x->events[at]))
			return true;
	return false;
}

static bool has_read(const struct vtb_exec *x, size_t end, uint32_t thread, uint32_t site)
{
	for (size_t i = end; i-- > 0;)
		if (x->events[i].thread == thread && x->events[i].site == site &&
		    vtb_event_is(&x->events[i], VTB_EV_READS))
			return true;
	return false;
}

/* Where the thread, before event `wait`, has handed on what nobody has looked at: it had taken up work before that.
 * VTB_EVENT_NONE: not so. */
static size_t handed_on(const struct pool *p, const struct pair *pair, uint32_t thread, size_t wait)
{
	const struct vtb_exec *x = p->failing;

	for (size_t i = wait; i-- > 0;)
		if (x->events[i].thread == thread && x->events[i].site == pair->put &&
		    core_is_access(x->events[i].kind) && vtb_event_is(&x->events[i], VTB_EV_WRITES) &&
		    has_read(x, i, thread, pair->take) && !looked_at_later(x, i))
			return i;
	return VTB_EVENT_NONE;
}

/* Where the thread of pending operation `i` went to wait, its number of events for what it did not come to;
 * VTB_EVENT_NONE: somebody woke it since. */
static size_t idle_since(const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->pending[i];
	const unsigned kind = kind_of(e);
	const size_t wait = kind == VTB_E_SEM_WAIT ? x->n_events : last_wait(x, x->n_events, e->thread, true);

	if (wait == VTB_EVENT_NONE || (wait < x->n_events && x->events[wait].kind != begins(kind)))
		return VTB_EVENT_NONE;
	for (size_t k = wait; k < x->n_events; k++)
		if (wakes(&x->events[k]) && x->events[k].var == e->var)
			return VTB_EVENT_NONE;
	return wait;
}

static uint32_t site_of(const struct vtb_exec *x, size_t pending, size_t wait)
{
	return wait < x->n_events ? x->events[wait].site : x->pending[pending].site;
}

static size_t pending_of(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread)
			return i;
	return x->n_pending;
}

static bool has_begun(const struct vtb_exec *x, uint32_t thread, bool *ended)
{
	bool begun = false;

	*ended = false;
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread) {
			begun = true;
			*ended |= x->events[i].kind == VTB_E_THREAD_END;
		}
	return begun;
}

/* Do all of them wait, and what for is only theirs to do? How many. */
static size_t all_wait(struct pool *p, struct vtb_core_starved *ret)
{
	size_t n = 0;

	for (uint32_t t = 0; t < p->tab->n_threads; t++) {
		const size_t i = pending_of(p->failing, t);
		bool ended;
		size_t wait;

		if (!is_of_pool(p, t) || !has_begun(p->failing, t, &ended))
			continue;
		if (ended)
			return 0;
		wait = i < p->failing->n_pending && begins(kind_of(&p->failing->pending[i])) ? idle_since(p->failing, i)
		                                                                             : VTB_EVENT_NONE;
		if (wait == VTB_EVENT_NONE || !look_at_waits(p, site_of(p->failing, i, wait)))
			return 0;
		if (t == p->of) {
			ret->wait = wait;
			ret->pending = i;
		}
		n++;
	}
	return n;
}

/* Is that so of each of them for this pair? */
static bool all_hand_on(const struct pool *p, const struct pair *pair, struct vtb_core_starved *ret)
{
	for (uint32_t t = 0; t < p->tab->n_threads; t++) {
		const size_t i = pending_of(p->failing, t);
		size_t put;

		if (!is_of_pool(p, t) || i == p->failing->n_pending)
			continue;
		put = handed_on(p, pair, t, idle_since(p->failing, i));
		if (put == VTB_EVENT_NONE)
			return false;
		if (t == p->of)
			ret->put = put;
	}
	ret->wake = pair->wake;
	return true;
}

static bool starves(const struct vtb_core_view *v, uint32_t thread, struct vtb_core_starved *ret)
{
	struct pool p = { .failing = &v->core->exec, .passing = v->passing, .tab = v->tab, .of = thread };

	*ret = (struct vtb_core_starved){ .thread = thread };
	ret->threads = all_wait(&p, ret);
	for (size_t i = 0; ret->threads && i < p.n_pairs; i++)
		if (all_hand_on(&p, &p.pairs[i], ret))
			return true;
	return false;
}

bool vtb_core_starved(const struct vtb_core_view *v, struct vtb_core_starved *ret)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < x->n_pending && v->passing && core_hangs(v); i++)
		if (*start_of(v->tab, x->pending[i].thread) && begins(kind_of(&x->pending[i])) &&
		    starves(v, x->pending[i].thread, ret))
			return true;
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	struct vtb_core_starved starved;

	return vtb_core_starved(v, &starved);
}

static const char *place_at(const struct vtb_core_view *v, const struct vtb_exec *x, const struct vtb_core_op *op,
                            char *buf, size_t size)
{
	return vtb_site_place(v->tab, v->place ? v->place(op, x, v->places) : op->site, buf, size);
}

/* An operation that its thread had not come to has no number. */
static struct vtb_core_op op_at(const struct vtb_exec *x, size_t at, size_t pending)
{
	const struct vtb_event *e = pending < x->n_pending ? &x->pending[pending] : NULL;

	if (at < x->n_events || !e)
		return core_op_at(x, at);
	return (struct vtb_core_op){ .thread = e->thread, .site = e->site, .var = e->var, .kind = (uint8_t)kind_of(e) };
}

static void tell(const struct vtb_core_view *v, char *buf, size_t size)
{
	const struct vtb_exec *x = &v->core->exec;
	char function[300], put[300], wait[300], wake[300];
	struct vtb_core_starved s;
	struct vtb_core_op ops[3];

	if (!vtb_core_starved(v, &s))
		return;
	ops[0] = core_op_at(x, s.put);
	ops[1] = op_at(x, s.wait, s.pending);
	ops[2] = core_op_at(v->passing, s.wake);
	snprintf(buf, size,
	         "all %zu threads that run %s wait in a task for another task, which only they can run: %s hands it on "
	         "at %s and waits for it at %s; in a run that passes %s does it, and ends such a wait at %s",
	         s.threads, vtb_short_function(start_of(v->tab, s.thread), function, sizeof(function)),
	         vtb_thread_path(v->tab, s.thread), place_at(v, x, &ops[0], put, sizeof(put)),
	         place_at(v, x, &ops[1], wait, sizeof(wait)),
	         vtb_thread_path(v->tab, v->passing->events[s.wake].thread),
	         place_at(v, v->passing, &ops[2], wake, sizeof(wake)));
}

const struct vtb_core_class core_pool_starvation = {
	.name = "pool-starvation", .text = "thread-pool starvation deadlock", .fits = fits, .tell = tell
};
