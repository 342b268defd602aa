/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pct_draw.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/rng.h"

#define CHANGES_MAX 32u

uint32_t vtb_pct_changes(const struct vtb_search_opts *opts)
{
	return opts->c < CHANGES_MAX ? opts->c : CHANGES_MAX;
}

static int add_rank(struct vtb_schedule *s, uint32_t entry)
{
	if (vtb_array_room(s, ranks) < 0)
		return -ENOMEM;
	s->ranks[s->n_ranks++] = entry;
	return 0;
}

static void shuffle(uint32_t *items, size_t n, uint64_t *rng)
{
	for (size_t i = n; i > 1; i--) {
		const size_t j = (size_t)vtb_rng_below(rng, i);
		const uint32_t x = items[i - 1];

		items[i - 1] = items[j];
		items[j] = x;
	}
}

struct points {
	struct vtb_pct_point at[CHANGES_MAX];
	uint32_t n;
};

/* Is there a change point before the thread's first operation? */
static bool at_start(const struct points *p, uint32_t thread)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].thread == thread && !p->at[i].index)
			return true;
	return false;
}

/* Threads in random order; below them in random order the fragments, and those who fall before they have begun: there
 * is no operation to deviate after, and nothing but its rank says when a thread begins. AMONG: one order of all. */
static int rank(uint64_t *rng, uint32_t n, const struct points *p, enum vtb_pct_order order, struct vtb_schedule *s)
{
	uint32_t top = 0, fragments = 0;
	int r = 0;

	for (int low = 0; low < 2; low++) {
		for (uint32_t t = 0; r >= 0 && t < n; t++)
			r = at_start(p, t) == low ? add_rank(s, t) : 0;
		top = low ? top : (uint32_t)s->n_ranks;
	}
	for (uint32_t i = 0; r >= 0 && i < p->n; i++)
		r = p->at[i].index ? add_rank(s, fragments++ | VTB_RANK_FRAGMENT_BIT) : 0;
	if (r < 0)
		return r;
	top = order == VTB_PCT_AMONG ? (uint32_t)s->n_ranks : top;
	shuffle(s->ranks, top, rng);
	shuffle(s->ranks + top, s->n_ranks - top, rng);
	return 0;
}

static int compare_deviations(const void *a, const void *b)
{
	const struct vtb_deviation *x = a, *y = b;

	if (x->after.thread != y->after.thread)
		return x->after.thread < y->after.thread ? -1 : 1;
	return (x->after.index > y->after.index) - (x->after.index < y->after.index);
}

int vtb_pct_plan(uint64_t *rng, uint32_t n, uint32_t changes, enum vtb_pct_order order,
                 struct vtb_pct_point (*draw)(void *state), void *state, struct vtb_plan *plan)
{
	struct vtb_schedule *s = &plan->schedule;
	struct points p = { .n = changes };
	int r;

	for (uint32_t i = 0; i < changes; i++)
		p.at[i] = draw(state);
	r = rank(rng, n, &p, order, s);
	plan->loose = true; /* a thread may end before its change point */
	s->policy = VTB_SCHEDULE_PRIORITY;
	for (uint32_t i = 0; r >= 0 && i < changes; i++)
		r = p.at[i].index
		        ? vtb_schedule_deviate(s, p.at[i].thread, p.at[i].index, VTB_DEV_DEMOTE, 0, VTB_NONE, 1)
		        : 0;
	if (s->n_deviations) /* as the runner expects them */
		qsort(s->deviations, s->n_deviations, sizeof(*s->deviations), compare_deviations);
	return r;
}

int64_t vtb_pct_first(struct vtb_chance_draw *d, struct vtb_plan *plan)
{
	plan->schedule.policy = VTB_SCHEDULE_PRIORITY;
	return vtb_chance_draw_first(d, plan);
}
