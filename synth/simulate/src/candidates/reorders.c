/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pairs of operations a candidate has in another order than they were recorded in, for its file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "synth_priv.h"
#include "vtb/array.h"

/* Does an essential statement depend on both? Where one does not matter the slice has no way for the other's value. */
static int essential(struct synthesis *y, const struct vtb_event *a, const struct vtb_event *b)
{
	struct vtb_predicate *p = y->pruning.predicate;

	return p ? vtb_predicate_site_matters(p, a->site) && vtb_predicate_site_matters(p, b->site) : -1;
}

static struct vtb_op op_of(const struct vtb_exec *x, const uint32_t *index, size_t i)
{
	return (struct vtb_op){ .thread = x->events[i].thread, .index = index[i], .name = { .site = VTB_NONE } };
}

static int add_pair(struct synthesis *y, const struct vtb_exec *x, const uint32_t *index, size_t first, size_t second,
                    struct vtb_schedule *s)
{
	const struct vtb_reorder o = { .first = op_of(x, index, first),
		                       .second = op_of(x, index, second),
		                       .var = x->events[second].var,
		                       .essential = essential(y, &x->events[first], &x->events[second]) };

	if (!o.essential || s->n_reorders >= VTB_REORDERS_MAX)
		return 0;
	if (vtb_array_room(s, reorders) < 0)
		return -ENOMEM;
	s->reorders[s->n_reorders++] = o;
	return 0;
}

/* The number of each operation in its thread. */
static uint32_t *number_operations(const struct vtb_reference *ref, const struct vtb_exec *x)
{
	uint32_t *done = calloc(ref->n_threads + 1u, sizeof(*done)), *index = calloc(x->n_events + 1, sizeof(*index));

	for (uint32_t t = 0; done && ref->passed && t < ref->n_threads; t++)
		done[t] = ref->passed[t];
	for (size_t i = 0; done && index && i < x->n_events; i++)
		if (x->events[i].thread < ref->n_threads && vtb_event_is_operation(&x->events[i]))
			index[i] = ++done[x->events[i].thread];
	if (!done) {
		free(index);
		index = NULL;
	}
	free(done);
	return index;
}

int synth_reorders(struct synthesis *y, const struct vtb_exec *x, struct vtb_schedule *s)
{
	uint32_t *index = number_operations(&y->reference, x);
	int r = index ? 0 : -ENOMEM;

	s->n_reorders = 0;
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		size_t before[VTB_REORDERS_MAX];
		const size_t n = vtb_reordered_before(&y->reference, x, i, before, VTB_REORDERS_MAX);

		for (size_t k = 0; r >= 0 && k < n; k++)
			if (index[before[k]] && index[i])
				r = add_pair(y, x, index, before[k], i, s);
	}
	free(index);
	return r;
}
