/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policies pos and surw (vtb/walk.h) on simulated programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "vtb/walk.h"

static int make_room(struct vtb_machine_scratch *d, size_t n)
{
	struct vtb_walker *walkers;
	uint64_t *totals;

	if (n <= d->cap_walkers)
		return 0;
	walkers = realloc(d->walkers, n * sizeof(*walkers));
	if (!walkers)
		return -ENOMEM;
	d->walkers = walkers;
	totals = realloc(d->totals, n * sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	d->totals = totals;
	d->cap_walkers = n;
	return 0;
}

static uint32_t parent_of(const struct vtb_machine *m, uint32_t thread)
{
	return thread < m->tab->n_threads ? m->tab->threads[thread].parent : VTB_NONE;
}

/* In a table a parent's id is below its child's, so one pass from the end adds up whole families. */
static void add_up(struct vtb_machine_scratch *d, const struct vtb_machine *m, const struct vtb_schedule *s)
{
	memset(d->totals, 0, d->n_walkers * sizeof(*d->totals));
	for (size_t i = 0; i < s->n_weights; i++)
		if (s->weights[i].thread < d->n_walkers)
			d->totals[s->weights[i].thread] += s->weights[i].operations;
	for (size_t i = d->n_walkers; i-- > 0;) {
		const uint32_t parent = parent_of(m, (uint32_t)i);

		if (parent < i)
			d->totals[parent] += d->totals[i];
	}
}

int vtb_machine_walk_begin(struct vtb_machine_scratch *d, const struct vtb_machine *m, const struct vtb_schedule *s)
{
	int r = make_room(d, m->sync.n_threads + 1u);

	if (r < 0)
		return r;
	d->n_walkers = m->sync.n_threads;
	d->intended = VTB_WALK_NOBODY;
	for (size_t i = 0; i < d->n_walkers; i++)
		d->walkers[i] = (struct vtb_walker){ .op = UINT32_MAX };
	add_up(d, m, s);
	return 0;
}

static bool is_interesting(const struct vtb_schedule *s, uint32_t site)
{
	for (size_t i = 0; i < s->n_interesting; i++)
		if (s->interesting[i] == site)
			return true;
	return false;
}

/* Operations that touch no memory touch their object: a byte beyond all addresses. */
static void look_at(struct vtb_walker *w, const struct vtb_schedule *s, const struct vtb_event *e)
{
	w->lo = e->size ? e->addr : 1ull << 63 | e->var;
	w->hi = w->lo + (e->size ? e->size : e->var != VTB_NONE);
	w->writes = e->kind != VTB_E_READ && e->kind != VTB_E_ATOMIC_LOAD;
	w->interesting = is_interesting(s, e->site);
}

static void refresh(struct vtb_machine_scratch *d, const struct vtb_machine *m, const struct vtb_schedule *s,
                    uint32_t thread, bool enabled)
{
	struct vtb_walker *w = &d->walkers[thread];
	const uint32_t parent = parent_of(m, thread);
	struct vtb_event e = { .thread = (uint16_t)thread, .var = VTB_NONE, .site = VTB_NONE };
	const bool alive = m->sync.threads[thread].life == VTB_SYNC_ALIVE && m->ops->pending(m, thread);

	if (alive && w->op == UINT32_MAX)
		vtb_walk_born(d->walkers, parent < d->n_walkers ? parent : VTB_WALK_NOBODY, thread, d->totals[thread],
		              &d->intended, &d->rng);
	w->alive = alive;
	w->enabled = alive && enabled;
	if (!alive || w->op == vtb_machine_done(d, thread))
		return;
	w->op = vtb_machine_done(d, thread);
	m->ops->describe(m, thread, &e);
	look_at(w, s, &e);
}

uint32_t vtb_machine_walk(struct vtb_machine_scratch *d, const struct vtb_machine *m, const struct vtb_schedule *s,
                          const uint64_t *row)
{
	const uint32_t n = (uint32_t)d->n_walkers;

	for (uint32_t t = 0; t < n; t++)
		refresh(d, m, s, t, row[t / 64] >> t % 64 & 1);
	return s->policy == VTB_SCHEDULE_POS ? vtb_walk_pos(d->walkers, n, &d->rng)
	                                     : vtb_walk_surw(d->walkers, n, &d->intended, &d->rng);
}
