/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sharing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

enum { BY_MAIN = 1, BY_OTHERS = 2, BY_ALL = 3 };

/* ---- who executes a function */

static uint8_t by_itself(struct closure *c, uint32_t f)
{
	const struct function *fn = &c->s->p->functions[f];
	const uint32_t region = regions_index(&c->s->regions, REGION(REGION_CODE, f));

	if (fn->taken || c->s->regions.rows[region].lost)
		return BY_ALL;
	return !strcmp(fn->name, "main") ? BY_MAIN : 0;
}

/* From its callers; one that nobody is seen to call may be called by all. */
static uint8_t by_callers(const struct sharing *s, uint32_t f)
{
	const struct program *p = s->c->s->p;
	const struct nodes *g = &s->c->s->nodes;
	uint8_t by = s->by[f];

	for (uint32_t k = g->called[f]; k != NONE; k = g->callers[k].next) {
		const struct caller *caller = &g->callers[k];

		by |= caller->wild     ? BY_ALL
		      : caller->thread ? BY_OTHERS
		                       : s->by[p->blocks[p->insns[caller->insn].block].function];
	}
	return by;
}

static int find_executors(struct sharing *s)
{
	const size_t n = s->c->s->p->n_functions;

	s->by = calloc(n + 1, sizeof(*s->by));
	if (!s->by)
		return -ENOMEM;
	for (uint32_t f = 0; f < n; f++)
		s->by[f] = by_itself(s->c, f);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t f = 0; f < n; f++) {
			const uint8_t by = by_callers(s, f);

			changed |= by != s->by[f];
			s->by[f] = by;
		}
	}
	for (uint32_t f = 0; f < n; f++)
		s->by[f] = s->by[f] ? s->by[f] : BY_ALL;
	return 0;
}

static uint8_t executors(const struct sharing *s, uint32_t i)
{
	const struct program *p = s->c->s->p;

	return s->by[p->blocks[p->insns[i].block].function];
}

/* ---- accesses */

static void sum_up(struct shared *all, uint8_t by, bool reads, bool writes)
{
	all->reads |= reads ? by : 0;
	all->writes |= writes ? by : 0;
}

static int add_outside(struct sharing *s, uint8_t by, bool reads, bool writes)
{
	sum_up(&s->outside, by, reads, writes);
	sum_up(&s->lost, by, reads, writes);
	return 0;
}

static int add_place(struct sharing *s, uint8_t by, const struct touch *t, const struct place *at)
{
	static const struct shared none = { .first = NONE };
	const struct region *region = &s->c->s->regions.rows[at->region];
	const bool writes = t->writes && !regions_fixed(&s->c->s->regions, at->region);
	struct shared *all;

	while (s->n_regions <= at->region) {
		if (vtb_array_room(s, regions) < 0)
			return -ENOMEM;
		s->regions[s->n_regions++] = none;
	}
	if (vtb_array_room(s, rows) < 0)
		return -ENOMEM;
	all = &s->regions[at->region];
	s->rows[s->n_rows] = (struct sharer){ all->first, *at, by, writes };
	all->first = (uint32_t)s->n_rows++;
	sum_up(all, by, t->reads, writes);
	if (region->lost)
		sum_up(&s->lost, by, t->reads, writes);
	s->above |= region->id >> 32 == REGION_FRAME && at->hi > 8 && !t->sure;
	return 0;
}

/* What may do anything may also have another thread do it. */
static int add_accesses(struct sharing *s, uint32_t i)
{
	struct touch t[TOUCHES];
	struct place places[PLACES];
	const int n = solve_touches(s->c->s, i, t);
	const uint8_t by = executors(s, i);
	int r = n < 0 ? add_outside(s, BY_ALL, true, true) : 0;

	for (int k = 0; r >= 0 && k < n; k++) {
		const int found = regions_places(&s->c->s->regions, t[k].address, t[k].size, places);

		if (found < 0)
			r = add_outside(s, by, t[k].reads, t[k].writes);
		for (int j = 0; r >= 0 && j < found; j++)
			r = add_place(s, by, &t[k], &places[j]);
	}
	return r;
}

int sharing_init(struct sharing *s, struct closure *c)
{
	int r;

	*s = (struct sharing){ .c = c, .outside = { .first = NONE }, .lost = { .first = NONE } };
	r = find_executors(s);
	for (uint32_t i = 0; r >= 0 && i < c->s->p->n_insns; i++)
		r = add_accesses(s, i);
	return r;
}

void sharing_fini(struct sharing *s)
{
	free(s->by);
	free(s->rows);
	free(s->regions);
	*s = (struct sharing){ .c = NULL };
}

/* ---- conflicts */

/* Is one of `by` sure to be another thread than one of `other` at times? */
static bool may_differ(uint8_t by, uint8_t other)
{
	return other && (by | other) != BY_MAIN;
}

static bool meets_any(const struct shared *all, uint8_t by, bool writes)
{
	return may_differ(by, (uint8_t)(all->writes | (writes ? all->reads : 0)));
}

static bool meets(const struct sharing *s, const struct place *at, uint8_t by, bool writes)
{
	const struct shared *all = at->region < s->n_regions ? &s->regions[at->region] : NULL;

	if (!all || !meets_any(all, by, writes))
		return false;
	for (uint32_t k = all->first; k != NONE; k = s->rows[k].next)
		if ((writes || s->rows[k].writes) && places_meet(&s->rows[k].at, at) && may_differ(by, s->rows[k].by))
			return true;
	return false;
}

static bool is_shared_at(const struct sharing *s, const struct place *at, uint8_t by, bool writes)
{
	const struct region *region = &s->c->s->regions.rows[at->region];

	if (region->id >> 32 == REGION_FRAME && (s->above || at->hi > 8))
		return true;
	return meets(s, at, by, writes) || (region->lost && meets_any(&s->outside, by, writes));
}

bool sharing_is_shared(struct sharing *s, uint32_t i)
{
	struct touch t[TOUCHES];
	struct place places[PLACES];
	const int n = solve_touches(s->c->s, i, t);
	const uint8_t by = executors(s, i);

	for (int k = 0; k < n; k++) {
		const int found = regions_places(&s->c->s->regions, t[k].address, t[k].size, places);

		if (found < 0 && meets_any(&s->lost, by, t[k].writes))
			return true;
		for (int j = 0; j < found; j++)
			if (is_shared_at(s, &places[j], by, t[k].writes))
				return true;
	}
	return n < 0;
}
