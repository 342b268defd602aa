/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads-from equivalence: runs that are put together from what others have shown, instead of made (dpor_compose.h). */
#include <errno.h>

#include "dpor.h"
#include "vtb/array.h"

static int add_to_order(struct dpor *d, uint32_t thread, uint32_t times)
{
	for (; times; times--) {
		if (vtb_array_room(d, order) < 0)
			return -ENOMEM;
		d->order[d->n_order++] = thread;
	}
	return 0;
}

/* All that is planned, with what is hidden; of the last operation what is hidden follows by itself. */
static int fill_order(struct dpor *d)
{
	int r = d->n_levels ? add_to_order(d, d->levels[0].op.event.thread, d->lead) : 0;

	for (size_t i = 0; r >= 0 && i < d->n_levels; i++) {
		const struct dpor_op *op = &d->levels[i].op;
		const bool last = i + 1 == d->n_levels && d->path == DPOR_NONE;

		r = add_to_order(d, op->event.thread, last || !op->span ? 1 : op->span);
	}
	for (uint32_t node = d->path; r >= 0 && node != DPOR_NONE; node = d->all->nodes[node].child) {
		const struct dpor_op *op = &d->all->nodes[node].op;

		r = add_to_order(d, op->event.thread,
		                 d->all->nodes[node].child == DPOR_NONE || !op->span ? 1 : op->span);
	}
	return r;
}

static int add_to_ranks(struct dpor *d, uint32_t late)
{
	for (uint32_t t = 0; t < d->width; t++) {
		if (!d->pending_clock[t] == !late)
			continue;
		if (vtb_array_room(d, ranks) < 0)
			return -ENOMEM;
		d->ranks[d->n_ranks++] = t;
	}
	return 0;
}

int vtb_dpor_put_together(struct dpor *d)
{
	struct vtb_exec x = { 0 };
	int r = 0;

	d->n_order = d->n_ranks = 0;
	r = fill_order(d);
	vtb_dpor_find_asleep(d, (uint32_t)d->n_levels - 1);
	for (uint32_t late = 0; r >= 0 && late < 2; late++)
		r = add_to_ranks(d, !late);
	if (r >= 0)
		r = vtb_composer_compose(d->all->composer, d->order, d->n_order, d->ranks, d->n_ranks, &x);
	if (r <= 0)
		return r;
	r = vtb_dpor_read_run(d, d->n_levels, &x);
	vtb_exec_fini(&x);
	return r < 0 ? r : 1;
}
