/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread_bound_priv.h"

#include <errno.h>

#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

static struct vtb_op op(uint32_t thread, uint32_t index)
{
	return (struct vtb_op){ .thread = thread, .index = index, .name = { .site = VTB_NONE } };
}

/* What the threads of S had not done when the run failed they do after that: else main might end the process before. */
static int keep_rest(const struct thread_bound_state *b, const struct thread_bound_step *last, struct vtb_schedule *s)
{
	int r = 0;

	for (uint32_t t = 0; r >= 0 && t < b->n_threads; t++)
		if (b->in[t] && t != last->thread)
			r = vtb_schedule_constrain(s, op(last->thread, last->index), op(t, b->ops[t] + 1));
	return r;
}

/* What time or chance did for a step of S, it does again: to a wait at the point after the operation of S before, to an
 * operation at its own. */
static int keep_deviation(const struct thread_bound_step *last, const struct thread_bound_step *step,
                          struct vtb_schedule *s)
{
	switch (step->deviation) {
	case VTB_DEV_TIMEOUT:
	case VTB_DEV_SPURIOUS:
	case VTB_DEV_SIGNAL:
		return last ? vtb_schedule_deviate(s, last->thread, last->index,
		                                   (enum vtb_deviation_kind)step->deviation, step->thread, step->var, 1)
		            : 0;
	case VTB_DEV_WAITER:
	case VTB_DEV_CAS_FAIL:
		return vtb_schedule_deviate(s, step->thread, step->index - 1, (enum vtb_deviation_kind)step->deviation,
		                            step->place, step->var, 1);
	default:
		return 0;
	}
}

/* Wherever two neighbours among the operations of S belong to different threads: the second after the first. */
static int keep_order(const struct thread_bound_state *b, struct vtb_schedule *s)
{
	const struct thread_bound_step *last = NULL;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < b->n_steps; i++) {
		const struct thread_bound_step *step = &b->steps[i];

		if (!b->in[step->thread])
			continue;
		if (last && last->thread != step->thread)
			r = vtb_schedule_constrain(s, op(last->thread, last->index), op(step->thread, step->index));
		if (r >= 0)
			r = keep_deviation(last, step, s);
		last = step;
	}
	return r >= 0 && last ? keep_rest(b, last, s) : r;
}

static int add_ranks(const struct thread_bound_state *b, struct vtb_schedule *s, bool members)
{
	for (uint32_t t = 0; t < b->n_threads; t++) {
		if (b->in[t] != members || !b->ops[t])
			continue;
		if (vtb_array_room(s, ranks) < 0)
			return -ENOMEM;
		s->ranks[s->n_ranks++] = t;
	}
	return 0;
}

static size_t member_steps(const struct thread_bound_state *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_steps; i++)
		n += b->in[b->steps[i].thread];
	return n;
}

static const struct thread_bound_step *nth_member_step(const struct thread_bound_state *b, size_t n)
{
	for (size_t i = 0; i < b->n_steps; i++)
		if (b->in[b->steps[i].thread] && n-- == 0)
			return &b->steps[i];
	return NULL;
}

/* Each of the others stops before one of its operations until a random operation of S is done. */
static int place_others(struct thread_bound_state *b, struct vtb_schedule *s)
{
	const size_t n = member_steps(b);
	int r = 0;

	for (uint32_t t = 0; r >= 0 && t < b->n_threads; t++) {
		const struct thread_bound_step *after;
		uint32_t index;

		if (b->in[t] || !b->ops[t])
			continue;
		after = nth_member_step(b, (size_t)vtb_rng_below(&b->rng, n));
		index = 1 + (uint32_t)vtb_rng_below(&b->rng, b->ops[t]);
		r = vtb_schedule_constrain(s, op(after->thread, after->index), op(t, index));
	}
	return r;
}

int vtb_thread_bound_schedule(struct thread_bound_state *b, uint32_t number, struct vtb_schedule *s)
{
	int r;

	s->policy = VTB_SCHEDULE_PRIORITY;
	r = add_ranks(b, s, number == 1);
	if (r >= 0)
		r = add_ranks(b, s, number != 1);
	if (r >= 0)
		r = keep_order(b, s);
	if (r >= 0 && number > 1)
		r = place_others(b, s);
	return r;
}
