/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before a run: who has which rank, deviations and constraints by thread. */
#include "machine_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"

static const struct vtb_op *deviation_op(const struct vtb_schedule *s, uint32_t i)
{
	return &s->deviations[i].after;
}

static const struct vtb_op *constraint_op(const struct vtb_schedule *s, uint32_t i)
{
	return &s->constraints[i].after;
}

typedef const struct vtb_op *op_of(const struct vtb_schedule *s, uint32_t i);

/* Insertion sort by (thread, operation), stable: schedules come almost sorted, and nearly all are short. */
static void sort_ops(uint32_t *order, size_t n, const struct vtb_schedule *s, op_of *op)
{
	for (size_t i = 0; i < n; i++) {
		const struct vtb_op *x = op(s, (uint32_t)i);
		size_t j = i;

		for (; j > 0; j--) {
			const struct vtb_op *y = op(s, order[j - 1]);

			if (y->thread < x->thread || (y->thread == x->thread && y->index <= x->index))
				break;
			order[j] = order[j - 1];
		}
		order[j] = (uint32_t)i;
	}
}

struct sort_context {
	const struct vtb_schedule *s;
	op_of *op;
};

static int compare_ops(const void *a, const void *b, void *data)
{
	const struct sort_context *context = data;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct vtb_op *x = context->op(context->s, i), *y = context->op(context->s, j);

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (i > j) - (i < j);
}

/* Long lists: the order of a whole recording. */
static void sort_many(uint32_t *order, size_t n, const struct vtb_schedule *s, op_of *op)
{
	struct sort_context context = { s, op };

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), compare_ops, &context);
}

#define SHORT_LIST 64u

static int sort_into(uint32_t **order, size_t *n_order, size_t *cap, size_t n, const struct vtb_schedule *s, op_of *op)
{
	void *items = *order;
	int r = n > *cap ? vtb_array_reserve(&items, cap, n, sizeof(**order)) : 0;

	if (r < 0)
		return r;
	*order = items;
	*n_order = n;
	if (n > SHORT_LIST)
		sort_many(*order, n, s, op);
	else
		sort_ops(*order, n, s, op);
	return 0;
}

static void deal_out(struct run *run)
{
	struct vtb_machine_scratch *d = run->d;

	for (uint32_t i = 0; i < d->n_deviations; i++) {
		const uint32_t t = deviation_op(run->s, d->deviations[i])->thread;

		if (t >= d->n_threads) {
			d->missed++;
			continue;
		}
		if (!d->threads[t].deviations_end)
			d->threads[t].deviation = i;
		d->threads[t].deviations_end = i + 1;
	}
	for (uint32_t i = 0; i < d->n_constraints; i++) {
		const uint32_t t = constraint_op(run->s, d->constraints[i])->thread;

		if (t >= d->n_threads)
			continue;
		if (!d->threads[t].constraints_end)
			d->threads[t].constraint = i;
		d->threads[t].constraints_end = i + 1;
	}
}

static int rank_fragment(struct vtb_machine_scratch *d, uint32_t fragment, uint32_t place)
{
	if (fragment >= VTB_DEVIATIONS_LIMIT)
		return 0; /* more than any schedule can demote */
	if (vtb_array_extend(d, fragments, (size_t)fragment + 1, VTB_NONE) < 0)
		return -ENOMEM;
	d->fragments[fragment] = place;
	return 0;
}

static int rank_threads(struct run *run)
{
	struct vtb_machine_scratch *d = run->d;
	int r = 0;

	d->n_fragments = 0;
	for (uint32_t i = 0; r >= 0 && i < run->s->n_ranks; i++) {
		const uint32_t entry = run->s->ranks[i];

		if (entry & VTB_RANK_FRAGMENT_BIT)
			r = rank_fragment(d, entry & ~VTB_RANK_FRAGMENT_BIT, i);
		else if (entry < d->n_threads)
			d->threads[entry].rank = i;
	}
	return r;
}

int vtb_machine_prepare(struct run *run)
{
	struct vtb_machine_scratch *d = run->d;
	const struct vtb_schedule *s = run->s;
	int r;

	d->n_threads = 0;
	for (uint32_t i = 0; i < run->m->sync.n_threads; i++) {
		if (vtb_array_room(d, threads) < 0)
			return -ENOMEM;
		d->threads[d->n_threads++] = (struct vtb_machine_thread){ .rank = VTB_NONE };
	}
	d->rng = vtb_mix64(s->seed + 0x9e3779b97f4a7c15ull);
	d->demotions = d->missed = d->passed = 0;
	d->forced_kind = 0;
	d->n_waiting = 0;
	if (vtb_array_extend(d, waiting, run->x->stride, 0) < 0)
		return -ENOMEM;
	r = rank_threads(run);
	if (r >= 0)
		r = sort_into(&d->deviations, &d->n_deviations, &d->cap_deviations, s->n_deviations, s, deviation_op);
	if (r >= 0)
		r = sort_into(&d->constraints, &d->n_constraints, &d->cap_constraints, s->n_constraints, s,
		              constraint_op);
	if (r >= 0 && (s->policy == VTB_SCHEDULE_POS || s->policy == VTB_SCHEDULE_SURW))
		r = vtb_machine_walk_begin(d, run->m, s);
	if (r >= 0)
		deal_out(run);
	return r;
}
