/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where to preempt in a long trace: the most promising points of a run, in the order in which the strategy cvt would
 * come to them, but each place of the program a few times before any is tried many times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "synth_priv.h"
#include "vtb/array.h"
#include "vtb/focus.h"
#include "vtb/rng.h"

#define PLACES (1u << 16) /* counters of places; two that share one only come later than they could */

int long_points_init(struct long_points *p, size_t limit)
{
	*p = (struct long_points){ .limit = limit };
	p->met = calloc(PLACES, sizeof(*p->met));
	p->done = calloc(VTB_THREADS_LIMIT, sizeof(*p->done));
	if (p->met && p->done)
		return 0;
	long_points_fini(p);
	return -ENOMEM;
}

void long_points_fini(struct long_points *p)
{
	free(p->points);
	free(p->met);
	free(p->done);
	*p = (struct long_points){ 0 };
}

/* 0-15, 16-63, 64-255 ... */
static uint64_t stage(uint32_t times)
{
	uint64_t s = 0;

	for (uint32_t end = 16; times >= end && s < 13; end *= 4)
		s++;
	return s;
}

static uint64_t at_most(uint64_t x, unsigned bits)
{
	const uint64_t max = (1ull << bits) - 1;

	return x < max ? x : max;
}

/*      stage of its place   class of the variable   its accesses   times at its place
 *              4                     3                   28               28 bits     */
static uint64_t key_of(struct long_points *p, const struct vtb_space *space, const struct vtb_event *e)
{
	const uint64_t place =
	    vtb_mix64(((uint64_t)e->site << 32 | e->var) + 1) + vtb_mix64(((uint64_t)e->thread << 8 | e->kind) + 1);
	const uint32_t times = p->met[vtb_mix64(place) % PLACES]++;

	return stage(times) << 59 | (uint64_t)vtb_coverage_class(space->coverage, e->var) << 56 |
	       at_most(vtb_coverage_most(space->coverage, e->var), 28) << 28 | at_most(times, 28);
}

/* Does a switch to another thread between events i and i + 1 preempt whoever runs? */
static bool preempts(const struct vtb_exec *x, size_t i)
{
	const uint32_t thread = x->events[i].thread;

	if (x->events[i + 1].thread != thread || x->events[i + 1].kind == VTB_E_FAIL)
		return false;
	for (uint32_t word = 0; word < x->stride; word++) {
		uint64_t others = x->enabled[i * x->stride + word] & x->enabled[(i + 1) * x->stride + word];

		if (thread / 64 == word)
			others &= ~(1ull << thread % 64);
		if (others)
			return true;
	}
	return false;
}

static uint32_t loop_of(const struct vtb_symtab *tab, uint32_t var)
{
	const uint32_t object = var < tab->n_variables ? tab->variables[var].object : VTB_NONE;

	return object < tab->n_objects && tab->objects[object].kind == VTB_OBJ_HEAP ? tab->objects[object].loop : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct long_point *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static int by_event(const void *a, const void *b)
{
	const struct long_point *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static void keep_best(struct long_points *p)
{
	if (p->n_points)
		qsort(p->points, p->n_points, sizeof(*p->points), by_key);
	if (p->n_points > p->limit)
		p->n_points = p->limit;
}

static int offer(struct long_points *p, const struct long_point *point)
{
	p->offered++;
	if (vtb_array_room(p, points) < 0)
		return -ENOMEM;
	p->points[p->n_points++] = *point;
	if (p->n_points / 2 >= p->limit + PLACES)
		keep_best(p);
	return 0;
}

int long_points_add(struct long_points *p, const struct vtb_space *space, const struct vtb_exec *x,
                    const uint32_t *foreseen, uint8_t order)
{
	int r = 0;

	memset(p->done, 0, VTB_THREADS_LIMIT * sizeof(*p->done));
	memset(p->met, 0, PLACES * sizeof(*p->met)); /* neither order goes before the other */
	for (size_t i = 0; r >= 0 && i + 1 < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const uint32_t index = ++p->done[e->thread], loop = loop_of(space->tab, e->var);

		if (index > foreseen[e->thread] || loop > space->opts->l || !preempts(x, i) ||
		    !vtb_focus_allows(space, e))
			continue;
		r = offer(p, &(struct long_point){
		                 .key = key_of(p, space, e),
		                 .event = (uint32_t)i,
		                 .index = index,
		                 .var = e->var,
		                 .thread = e->thread,
		                 .order = order,
		                 .l = (uint8_t)loop,
		             });
	}
	return r;
}

void long_points_finish(struct long_points *p)
{
	keep_best(p);
	for (size_t i = 0; i < p->n_points; i++)
		p->points[i].rank = (uint32_t)i;
	if (p->n_points)
		qsort(p->points, p->n_points, sizeof(*p->points), by_event);
}
