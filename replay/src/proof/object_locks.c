/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "object_locks.h"

#include <errno.h>
#include <stdlib.h>

static bool is_data(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC) && e->var != VTB_NONE;
}

/* From the first thread's making to the last one's join: before and after main is alone, and needs no lock. */
static void find_together(const struct vtb_exec *x, size_t *from, size_t *to)
{
	size_t made = 0, joined = 0, last = 0;

	*from = x->n_events;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (i < *from && (e->kind == VTB_E_THREAD_CREATE || e->thread != x->events[0].thread))
			*from = i;
		made += e->kind == VTB_E_THREAD_CREATE;
		if (e->kind == VTB_E_THREAD_JOIN) {
			joined++;
			last = i;
		}
	}
	*to = made && joined >= made ? last : x->n_events;
}

static void touch(struct guarded *g, const struct vtb_event *e, const struct vtb_held_locks *held, bool together)
{
	if (g->thread == VTB_NONE)
		g->thread = e->thread;
	g->shared |= g->thread != e->thread;
	if (!together)
		return;
	if (!g->seen)
		g->locks = *held;
	else
		vtb_held_locks_meet(&g->locks, held, false);
	g->seen = true;
}

static uint32_t most_threads(const struct vtb_exec *x)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	return n;
}

static size_t most_variables(const struct vtb_exec *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		if (is_data(&x->events[i]) && x->events[i].var >= n)
			n = x->events[i].var + 1ul;
	return n;
}

int guards_of_run(const struct vtb_exec *x, struct guards *ret)
{
	const size_t n = most_variables(x);
	struct vtb_held_locks *held = calloc(most_threads(x) + 1ul, sizeof(*held));
	size_t from, to;

	*ret = (struct guards){ .of = malloc((n + 1) * sizeof(*ret->of)), .n = n };
	if (!held || !ret->of) {
		free(held);
		guards_fini(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		ret->of[i] = (struct guarded){ .thread = VTB_NONE };
	find_together(x, &from, &to);
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (is_data(e))
			touch(&ret->of[e->var], e, &held[e->thread], i >= from && i < to);
		vtb_held_locks_step(&held[e->thread], e, i);
	}
	free(held);
	return 0;
}

void guards_fini(struct guards *g)
{
	free(g->of);
	*g = (struct guards){ 0 };
}

void guards_meet(const struct guards *g, uint32_t var, struct vtb_held_locks *h)
{
	if (var < g->n)
		vtb_held_locks_meet(h, &g->of[var].locks, false);
	else
		h->n = 0;
}

bool guards_shared(const struct guards *g, uint32_t var)
{
	return var < g->n && g->of[var].shared;
}
