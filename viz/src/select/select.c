/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "select_priv.h"
#include "vtb/array.h"

void selection_fini(struct selection *s)
{
	free(s->keep);
	free(s->turns);
	free(s->orders);
	free(s->failing);
	*s = (struct selection){ 0 };
}

int selection_var(const struct selection *s, uint32_t var)
{
	for (size_t i = 0; i < s->n_vars; i++)
		if (s->vars[i] == var)
			return (int)i;
	return -1;
}

static void keep(struct selection *s, size_t i)
{
	if (i != SELECT_NO_EVENT)
		s->keep[i] = true;
}

static void keep_marks(struct selecting *c)
{
	for (size_t i = 0; i < c->s->n_failing; i++)
		keep(c->s, c->s->failing[i]);
	for (size_t i = 0; i < c->s->n_turns; i++) {
		const struct turn *turn = &c->s->turns[i];

		if (!turn->number) /* a free switch is only of interest if something kept stands at it */
			continue;
		keep(c->s, turn->from);
		keep(c->s, turn->to);
	}
}

/* How far event i is from what is kept already, in events. */
static size_t *distances(const struct selecting *c)
{
	const size_t n = c->trace->n_events;
	size_t *distance = malloc((n + 1) * sizeof(*distance));
	size_t last = n; /* nothing kept yet: everything is equally far */

	for (size_t i = 0; distance && i < n; i++) {
		last = c->s->keep[i] ? 0 : last < n ? last + 1 : n;
		distance[i] = last;
	}
	last = n;
	for (size_t i = n; distance && i-- > 0;) {
		last = c->s->keep[i] ? 0 : last < n ? last + 1 : n;
		distance[i] = distance[i] < last ? distance[i] : last;
	}
	return distance;
}

struct near {
	size_t event, distance;
};

static int compare_near(const void *x, const void *y)
{
	const struct near *a = x, *b = y;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

#define CROWD 4 /* threads; with more, only those that can matter are shown */

/* Threads that fail, are switched away from, or take over. */
static bool is_core(const struct selecting *c, uint32_t thread)
{
	for (size_t i = 0; i < c->s->n_failing; i++)
		if (c->trace->events[c->s->failing[i]].thread == thread)
			return true;
	for (size_t i = 0; i < c->s->n_turns; i++) {
		const struct turn *turn = &c->s->turns[i];

		if (turn->number && (turn->thread == thread ||
		                     (turn->to != SELECT_NO_EVENT && c->trace->events[turn->to].thread == thread)))
			return true;
	}
	return false;
}

/* In a crowd a thread beside the story that only looks on changes nothing. */
static bool is_onlooker(const struct selecting *c, const struct vtb_event *e)
{
	return c->trace->tab.n_threads > CROWD && c->s->n_turns && (!vtb_event_is(e, VTB_EV_WRITES) || !is_access(e)) &&
	       !is_core(c, e->thread);
}

static bool is_about(const struct selecting *c, const struct vtb_event *e)
{
	return selection_var(c->s, e->var) >= 0 && (is_visible(e) || e->kind == VTB_E_PENDING) && !is_onlooker(c, e);
}

/* ---- a loop that looks at the same value again and again */

static bool same_look(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == b->kind && is_access(a) && !vtb_event_is(a, VTB_EV_WRITES) && a->site == b->site &&
	       a->value == b->value && !((a->flags ^ b->flags) & VTB_EVF_VALUE);
}

/* Is event i the same look as its thread's next one at this variable? The last visited is remembered in *next. */
static bool like_next(const struct selecting *c, size_t i, size_t *next)
{
	const bool like = *next < c->trace->n_events && same_look(&c->trace->events[i], &c->trace->events[*next]);

	*next = i;
	return like;
}

/* repeats[i]: looks that are like those of the thread before and after them say nothing. NULL: no memory. O(events). */
static bool *find_repeats(const struct selecting *c)
{
	const struct vtb_trace *trace = c->trace;
	const size_t n_places = (trace->tab.n_threads + 1) * (c->s->n_vars + 1);
	bool *repeats = calloc(trace->n_events + 1, sizeof(*repeats));
	size_t *at = malloc(n_places * sizeof(*at));

	for (int backwards = 0; repeats && at && backwards < 2; backwards++) {
		for (size_t k = 0; k < n_places; k++)
			at[k] = SELECT_NO_EVENT;
		for (size_t k = 0; k < trace->n_events; k++) {
			const size_t i = backwards ? trace->n_events - 1 - k : k;
			const struct vtb_event *e = &trace->events[i];

			if (e->thread >= trace->tab.n_threads || !is_about(c, e))
				continue;
			if (like_next(c, i, &at[e->thread * (c->s->n_vars + 1) + (size_t)selection_var(c->s, e->var)]))
				repeats[i] |= !backwards;
			else
				repeats[i] &= !backwards;
		}
	}
	free(at);
	if (!at) {
		free(repeats);
		return NULL;
	}
	return repeats;
}

/* The operations on the variables it is about; if they are many, those nearest to the marks. */
static int keep_accesses(struct selecting *c)
{
	size_t *distance = distances(c);
	struct near *all = malloc((c->trace->n_events + 1) * sizeof(*all));
	bool *repeats = find_repeats(c);
	size_t n = 0;

	for (size_t i = 0; distance && all && repeats && i < c->trace->n_events; i++)
		if (is_about(c, &c->trace->events[i]) && !repeats[i])
			all[n++] = (struct near){ i, distance[i] };
	if (distance && all && repeats) {
		qsort(all, n, sizeof(*all), compare_near);
		for (size_t i = 0; i < n && i < c->limits.accesses; i++)
			keep(c->s, all[i].event);
	}
	free(all);
	free(distance);
	free(repeats);
	return distance && all && repeats ? 0 : -ENOMEM;
}

/* ---- locks that a thread held at a kept access */

struct lock_span {
	size_t taken;
	uint32_t var;
	uint16_t thread;
	bool wanted; /* a kept access lies inside */
};

struct spans {
	struct lock_span *spans;
	size_t n_spans, cap_spans;
};

static bool is_lock_family(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && (info->family == VTB_FAMILY_MUTEX || info->family == VTB_FAMILY_RWLOCK);
}

static int open_span(struct spans *open, const struct vtb_event *e, size_t i)
{
	if (vtb_array_room(open, spans) < 0)
		return -ENOMEM;
	open->spans[open->n_spans++] = (struct lock_span){ .taken = i, .var = e->var, .thread = e->thread };
	return 0;
}

/* Keep both ends of the section if something kept lies inside. */
static void close_span(struct selecting *c, struct spans *open, const struct vtb_event *e, size_t i)
{
	for (size_t k = open->n_spans; k-- > 0;) {
		if (open->spans[k].thread != e->thread || open->spans[k].var != e->var)
			continue;
		if (open->spans[k].wanted) {
			keep(c->s, open->spans[k].taken);
			keep(c->s, i);
		}
		open->spans[k] = open->spans[--open->n_spans];
		return;
	}
}

static void want_spans(struct spans *open, const struct vtb_event *e)
{
	for (size_t k = 0; k < open->n_spans; k++)
		open->spans[k].wanted |= open->spans[k].thread == e->thread;
}

static int keep_locks(struct selecting *c)
{
	struct spans open = { 0 };
	int r = 0;

	for (size_t i = 0; i < c->trace->n_events && r >= 0; i++) {
		const struct vtb_event *e = &c->trace->events[i];

		if (c->s->keep[i] && (is_access(e) || e->kind == VTB_E_PENDING || e->kind == VTB_E_FAIL))
			want_spans(&open, e);
		if (is_lock_family(e) && e->flags & VTB_EVF_ACQUIRES)
			r = open_span(&open, e, i);
		else if (is_lock_family(e) && e->flags & VTB_EVF_RELEASES)
			close_span(c, &open, e, i);
	}
	for (size_t k = 0; k < open.n_spans; k++)
		if (open.spans[k].wanted)
			keep(c->s, open.spans[k].taken);
	free(open.spans);
	return r;
}

/* In a deadlock, the operation that took what another thread waits for. */
static void keep_holders(struct selecting *c)
{
	for (size_t i = 0; i < c->s->n_failing; i++)
		if (c->trace->events[c->s->failing[i]].kind == VTB_E_PENDING)
			keep(c->s, select_holder(c->trace, c->trace->events[c->s->failing[i]].var, c->s->failing[i]));
}

/* The operation that freed what was then used, or freed again: without it the picture does not say what is wrong. */
static void keep_freed(struct selecting *c)
{
	const struct vtb_trace *t = c->trace;
	size_t use = t->n_events;

	if (t->outcome.verdict != VTB_V_MEMORY)
		return;
	while (use > 0 && (t->events[use - 1].thread != t->outcome.thread || t->events[use - 1].var == VTB_NONE ||
	                   t->events[use - 1].kind == VTB_E_FAIL))
		use--;
	for (size_t i = use ? use - 1 : 0; i-- > 0;)
		if (t->events[i].kind == VTB_E_FREE && vtb_event_overlap(&t->events[i], &t->events[use - 1])) {
			keep(c->s, i);
			return;
		}
}

/* How the threads shown came into being and ended, and what is missing from their record. */
static void keep_threads(struct selecting *c)
{
	const struct vtb_symtab *tab = &c->trace->tab;
	bool *shown = calloc(tab->n_threads + 1, sizeof(*shown));

	for (size_t i = 0; shown && i < c->trace->n_events; i++)
		if (c->s->keep[i] && c->trace->events[i].thread < tab->n_threads)
			shown[c->trace->events[i].thread] = true;
	for (size_t i = 0; shown && i < c->trace->n_events; i++) {
		const struct vtb_event *e = &c->trace->events[i];
		const uint32_t object = e->var < tab->n_variables ? tab->variables[e->var].object : VTB_NONE;
		const uint32_t target = object < tab->n_objects ? tab->objects[object].thread : VTB_NONE;

		if (e->kind == VTB_E_THREAD_CREATE && target < tab->n_threads && shown[target] &&
		    e->thread < tab->n_threads && shown[e->thread])
			keep(c->s, i);
		if (e->kind == VTB_E_LOST && e->thread < tab->n_threads && shown[e->thread])
			keep(c->s, i);
	}
	free(shown);
}

static int keep_all(struct selecting *c)
{
	int r;

	keep_marks(c);
	r = keep_accesses(c);
	keep_holders(c);
	keep_freed(c);
	if (r >= 0)
		r = keep_locks(c);
	keep_threads(c);
	return r;
}

static int run(struct selecting *c)
{
	int r = select_turns(c);

	if (r >= 0)
		r = select_failing(c);
	if (r >= 0)
		r = select_vars(c);
	if (r < 0)
		return r;
	if (c->told)
		select_keep_told(c);
	else
		r = keep_all(c);
	for (size_t i = 0; i < c->trace->n_events; i++)
		c->s->n_kept += c->s->keep[i];
	return r < 0 ? r : select_orders(c);
}

int select_events(const struct vtb_trace *trace, const struct vtb_schedule *schedule, const bool *told,
                  struct select_limits limits, struct selection *ret)
{
	struct selection s = { .keep = calloc(trace->n_events + 1, sizeof(*s.keep)) };
	struct selecting c = { .trace = trace, .schedule = schedule, .told = told, .limits = limits, .s = &s };
	const int r = s.keep ? run(&c) : -ENOMEM;

	if (r < 0)
		selection_fini(&s);
	else
		*ret = s;
	return r;
}
