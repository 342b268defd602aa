/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

void vtb_coverage_fini(struct vtb_coverage *c)
{
	free(c->vars);
	free(c->ops);
	free(c->now);
	*c = (struct vtb_coverage){ 0 };
}

static int room_for_var(struct vtb_coverage *c, uint32_t var)
{
	while (c->n_vars <= var) {
		if (vtb_array_room(c, vars) < 0)
			return -ENOMEM;
		c->vars[c->n_vars++] = (struct vtb_coverage_var){ .thread = VTB_NONE };
	}
	return 0;
}

static int room_for_thread(struct vtb_coverage *c, uint32_t thread)
{
	while (c->n_ops <= thread) {
		if (vtb_array_room(c, ops) < 0 || vtb_array_room(c, now) < 0)
			return -ENOMEM;
		c->ops[c->n_ops++] = 0;
		c->now[c->n_now++] = 0;
	}
	if (c->n_threads <= thread)
		c->n_threads = thread + 1;
	return 0;
}

static int count_access(struct vtb_coverage *c, const struct vtb_event *e)
{
	struct vtb_coverage_var *v;

	if (e->var == VTB_NONE)
		return 0;
	if (e->var >= c->n_vars && room_for_var(c, e->var) < 0)
		return -ENOMEM;
	v = &c->vars[e->var];
	if (v->thread == VTB_NONE)
		v->thread = e->thread;
	v->shared |= v->thread != e->thread;
	v->family = (uint8_t)vtb_event_info(e->kind)->family;
	v->now = v->run == c->runs ? v->now + 1 : 1;
	v->run = c->runs;
	if (v->now > v->most)
		v->most = v->now;
	return 0;
}

/* Threads that were born and never went on: they could have at the end. */
static int count_waiting(struct vtb_coverage *c, const struct vtb_exec *x)
{
	int r = 0;

	for (uint32_t word = 0; x->n_enabled >= x->stride && word < x->stride; word++)
		for (uint64_t bits = x->enabled[x->n_enabled - x->stride + word]; r >= 0 && bits; bits &= bits - 1)
			r = room_for_thread(c, word * 64 + (uint32_t)__builtin_ctzll(bits));
	for (size_t i = 0; r >= 0 && i < x->n_pending; i++)
		r = room_for_thread(c, x->pending[i].thread);
	return r;
}

int vtb_coverage_add(struct vtb_coverage *c, const struct vtb_exec *x)
{
	c->runs++;
	if (c->n_now)
		memset(c->now, 0, c->n_now * sizeof(*c->now));
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL || !vtb_event_info(e->kind))
			continue;
		if ((e->thread >= c->n_ops && room_for_thread(c, e->thread) < 0) || count_access(c, e) < 0)
			return -ENOMEM;
		if (++c->now[e->thread] > c->ops[e->thread])
			c->ops[e->thread] = c->now[e->thread];
		c->births_by_others |= e->kind == VTB_E_THREAD_CREATE && e->thread != 0;
	}
	if (x->n_events > c->points)
		c->points = x->n_events;
	return count_waiting(c, x);
}
