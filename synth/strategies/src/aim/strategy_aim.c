/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aim: a schedule for each suspicious pattern of the runs so far (aim.h), the most suspicious first. No level is swept,
 * and nothing is shown when it ends: it is for the first schedules, before others have counted their levels.
 *
 * The default run shows which threads there are and who looks like whom. Then one thread of each class goes first, in
 * an order without stops; who can be stopped where is taken from the run in which it went first. A run in which one
 * was stopped shows where the one that it gave way to could be stopped as well.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "strategy_rows.h"
#include "aim.h"
#include "vtb/rng.h"

#define SHOTS_MAX (1u << 16)
#define COST_OF_SECOND 12u /* of a second stop, beside what it costs by itself */

static int aim_begin(const struct vtb_space *space, void **ret_state)
{
	struct aim *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->space = space;
	*ret_state = s;
	return 0;
}

static uint64_t key_of(const struct aim_shot *shot)
{
	uint64_t key = vtb_mix64(vtb_mix64((uint64_t)shot->first << 32 | shot->second) + shot->third);

	for (uint32_t i = 0; i < shot->n_stops; i++)
		key = vtb_mix64(key + ((uint64_t)shot->stops[i].thread << 32 | shot->stops[i].index));
	return key + shot->soon;
}

int aim_queue(struct aim *s, const struct aim_shot *shot, uint32_t cost)
{
	uint64_t *met;
	int r;

	if (s->n_shots == SHOTS_MAX) {
		s->dropped++;
		return 0;
	}
	r = vtb_bounded_map_add(&s->known, key_of(shot), 1, &met);
	if (r < 0 || met)
		return r;
	if (vtb_array_room(s, shots) < 0)
		return -ENOMEM;
	s->shots[s->n_shots] = *shot;
	cost += shot->n_stops > 1 ? COST_OF_SECOND : 0;
	return vtb_heap_push(&s->queue, cost, (uint32_t)s->n_shots++);
}

/* ---- schedules */

static int add_rank(struct vtb_schedule *to, uint32_t rank)
{
	for (size_t i = 0; i < to->n_ranks; i++)
		if (to->ranks[i] == rank)
			return 0;
	if (vtb_array_room(to, ranks) < 0)
		return -ENOMEM;
	to->ranks[to->n_ranks++] = rank;
	return 0;
}

static int add_fragments(struct vtb_schedule *to, uint32_t n)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < n; i++)
		r = add_rank(to, i | VTB_RANK_FRAGMENT_BIT);
	return r;
}

/* main creates the others, and waits for them: it goes before all but those that are to come before it. */
static int rank(const struct aim *s, const struct aim_shot *shot, struct vtb_schedule *to)
{
	const uint32_t n = s->space->coverage->n_threads;
	int r = shot->second == 0 || shot->third == 0 ? 0 : add_rank(to, 0);

	if (r >= 0 && shot->first != VTB_NONE)
		r = add_rank(to, shot->first);
	if (r >= 0 && shot->second != VTB_NONE)
		r = add_rank(to, shot->second);
	if (r >= 0 && shot->third != VTB_NONE)
		r = add_rank(to, shot->third);
	if (r >= 0 && shot->soon)
		r = add_fragments(to, shot->n_stops);
	for (uint32_t t = 0; r >= 0 && t < n; t++)
		r = add_rank(to, t);
	return r < 0 ? r : add_fragments(to, shot->n_stops);
}

static int plan(const struct aim *s, uint32_t id, struct vtb_plan *ret)
{
	const struct aim_shot *shot = &s->shots[id];
	int r = rank(s, shot, &ret->schedule);

	ret->ticket = id;
	ret->loose = true;
	ret->schedule.policy = VTB_SCHEDULE_PRIORITY;
	for (uint32_t i = 0; r >= 0 && i < shot->n_stops; i++)
		r = vtb_schedule_deviate(&ret->schedule, shot->stops[i].thread, shot->stops[i].index, VTB_DEV_DEMOTE, 0,
		                         shot->stops[i].var, 1);
	ret->schedule.tuple = vtb_schedule_tuple(&ret->schedule);
	return r;
}

static int64_t aim_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct aim *s = state;
	size_t n = 0;
	int r = 0;

	if (!s->started)
		r = aim_queue(s, &(struct aim_shot){ .first = VTB_NONE, .second = VTB_NONE, .third = VTB_NONE }, 0);
	s->started = true;
	while (r >= 0 && n < max && s->queue.n_rows)
		r = plan(s, vtb_heap_pop(&s->queue), &plans[n++]);
	s->proposed += n;
	return r < 0 ? r : (int64_t)n;
}

/* ---- runs */

/* One thread of each class goes first. */
static int queue_orders(struct aim *s)
{
	uint32_t classes = 0;
	int r = 0;

	for (uint32_t t = 1; r >= 0 && t < s->symmetry.n_class_of; t++)
		if (s->symmetry.class_of[t] == t)
			r = aim_queue(s, &(struct aim_shot){ .first = t, .second = VTB_NONE, .third = VTB_NONE },
			              classes++);
	return r;
}

static int aim_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct aim *s = state;
	const struct aim_shot shot = s->shots[ticket];
	int r;

	if (x->brief || x->partial || x->owned || !x->n_events) /* not all operations are told */
		return 0;
	r = vtb_symmetry_add(&s->symmetry, x, s->space->tab, s->space->coverage);
	if (r >= 0 && !shot.n_stops)
		r = queue_orders(s);
	return r < 0 || (shot.n_stops && !new_class) ? r : aim_learn(s, &shot, x);
}

static void aim_claim(const void *state, struct vtb_claim *ret)
{
	const struct aim *s = state;

	*ret = (struct vtb_claim){ .exhausted = s->started && !s->queue.n_rows, .dropped = s->dropped };
	snprintf(ret->text, sizeof(ret->text),
	         "%llu schedules for suspicious patterns of conflicting operations, which are no bound",
	         (unsigned long long)s->proposed);
}

static void aim_end(void *state)
{
	struct aim *s = state;

	aim_patterns_fini(s);
	vtb_symmetry_fini(&s->symmetry);
	vtb_heap_fini(&s->queue);
	vtb_bounded_map_fini(&s->known);
	free(s->shots);
	free(s);
}

const struct vtb_strategy vtb_strategy_aim = {
	.name = "aim",
	.help = "a schedule for each suspicious pattern of two threads' operations, the most suspicious first",
	.begin = aim_begin,
	.next = aim_next,
	.feedback = aim_feedback,
	.claim = aim_claim,
	.end = aim_end,
};
