/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One point: who can go on, and who does. */
#include <string.h>

#include "machine_priv.h"
#include "vtb/array.h"
#include "vtb/rng.h"

bool machine_kept_back(const struct run *run, uint32_t thread)
{
	struct vtb_machine_scratch *d = run->d;
	struct vtb_machine_thread *t = &d->threads[thread];

	while (t->constraint < t->constraints_end &&
	       run->s->constraints[d->constraints[t->constraint]].after.index <= t->done)
		t->constraint++;
	for (uint32_t i = t->constraint; i < t->constraints_end; i++) {
		const struct vtb_constraint *c = &run->s->constraints[d->constraints[i]];

		if (c->after.index > t->done + 1)
			break;
		if (c->before.thread < d->n_threads && d->threads[c->before.thread].done < c->before.index)
			return true;
	}
	return false;
}

bool machine_can_go_on(const struct run *run, uint32_t thread)
{
	const struct vtb_machine *m = run->m;
	const struct vtb_sync_op *op;

	if (m->sync.threads[thread].life != VTB_SYNC_ALIVE)
		return false;
	op = m->ops->pending(m, thread);
	return op && vtb_sync_enabled(&m->sync, thread, op) && !machine_kept_back(run, thread);
}

static int add_row(struct run *run, uint64_t **ret_row)
{
	struct vtb_exec *x = run->x;
	void *items = x->enabled;
	const size_t want = x->n_enabled + x->stride;
	int r = want > x->cap_enabled ? vtb_array_reserve(&items, &x->cap_enabled, want, sizeof(*x->enabled)) : 0;

	if (r < 0)
		return r;
	x->enabled = items;
	memset(x->enabled + x->n_enabled, 0, x->stride * sizeof(*x->enabled));
	*ret_row = x->enabled + x->n_enabled;
	return 0;
}

int64_t machine_fill_row(struct run *run, uint64_t **ret_row)
{
	int64_t n = 0;
	int r = add_row(run, ret_row);

	if (r < 0)
		return r;
	for (uint32_t t = 0; t < run->d->n_threads; t++)
		if (machine_can_go_on(run, t)) {
			(*ret_row)[t / 64] |= 1ull << t % 64;
			n++;
		}
	return n;
}

static bool in_row(const uint64_t *row, uint32_t thread)
{
	return row[thread / 64] >> thread % 64 & 1;
}

/* Lower runs first: ranked threads, then the others in order of creation, then those demoted below everything. */
static uint64_t standing(const struct run *run, uint32_t thread)
{
	const struct vtb_machine_thread *t = &run->d->threads[thread];

	if (t->demoted)
		return (2ull << 32) + t->demoted;
	return t->rank != VTB_NONE ? t->rank : (1ull << 32) + run->m->sync.threads[thread].birth;
}

static uint32_t best_ranked(const struct run *run, const uint64_t *row)
{
	uint32_t best = VTB_NONE;

	for (uint32_t t = 0; t < run->d->n_threads; t++)
		if (in_row(row, t) && (best == VTB_NONE || standing(run, t) < standing(run, best)))
			best = t;
	return best;
}

static uint32_t nth_of_row(const uint64_t *row, uint64_t n)
{
	uint32_t t = 0;

	for (;; t++)
		if (in_row(row, t) && n-- == 0)
			return t;
}

uint32_t machine_choose(struct run *run, const uint64_t *row, uint64_t n)
{
	if (run->forced != VTB_NONE) {
		if (run->forced < run->d->n_threads && in_row(row, run->forced))
			return run->forced;
		run->d->missed++;
	}
	if (run->s->policy == VTB_SCHEDULE_RANDOM)
		return nth_of_row(row, vtb_rng_below(&run->d->rng, n));
	if (run->s->policy == VTB_SCHEDULE_POS || run->s->policy == VTB_SCHEDULE_SURW)
		return vtb_machine_walk(run->d, run->m, run->s, row);
	if (run->s->policy == VTB_SCHEDULE_RUN_TO_BLOCK && run->running != VTB_NONE && in_row(row, run->running))
		return run->running;
	return best_ranked(run, row);
}
