/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aim: a schedule for each suspicious pattern of the runs so far (aim.h), the most suspicious first. No level is swept,
 * and nothing is shown when it ends: it is for the first schedules, before others have counted their levels.
 *
 * The default run shows which threads there are and who looks like whom. Then one thread of each class goes first, in
 * an order without stops; who can be stopped where is taken from the run in which it went first. A run in which one
 * was stopped shows where the one that it gave way to could be stopped as well. A run in which somebody waited for a
 * condition shows who could come in between when it is woken. Deadlines, signals and wake-ups without a signal are
 * taken where they are suspects (aim_chances.c). What is known to lead to a class that was seen is left out
 * (aim_equal.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "strategy_rows.h"
#include "aim.h"
#include "vtb/rng.h"

#define SHOTS_MAX (1u << 16)
#define COST_OF_ORDER 4u /* of all classes but the first: it shows where to stop, and hardly ever fails itself */
#define COST_OF_TWIN 7u  /* another thread of a routine goes first */
#define COST_OF_PAIR 15u /* behind it another one */
#define COST_OF_ALIKE 3u /* each time that the number of those at the same places doubles */
#define SLOW 32u         /* the first ones one at a time, for each shows what need not be tried */

static int aim_begin(const struct vtb_space *space, void **ret_state)
{
	struct aim *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->space = space;
	*ret_state = s;
	return 0;
}

static uint64_t key_of_stop(const struct aim_stop *stop)
{
	const uint64_t chance = stop->chance ? vtb_mix64((uint64_t)stop->chance << 32 | stop->target) : 0;

	return ((uint64_t)stop->thread << 32 | stop->index) + chance;
}

uint64_t aim_key_of(const struct aim_shot *shot)
{
	uint64_t key = vtb_mix64(vtb_mix64((uint64_t)shot->first << 32 | shot->second) + shot->third);

	for (uint32_t i = 0; i < shot->n_stops; i++)
		key = vtb_mix64(key + key_of_stop(&shot->stops[i]));
	return vtb_mix64(key + shot->n_circle + shot->circle) + shot->soon;
}

/* Where a third one helps, it is what matters. */
static bool is_plain(const struct aim_shot *shot)
{
	return shot->n_stops && shot->third == VTB_NONE;
}

/* What is tried at the same places for the second time, by other threads or on other objects, comes later: *ret is what
 * it costs more. Only what was run counts, and what one look at a run has found costs what is said there. */
static int cost_of_alike(struct aim *s, const struct aim_shot *shot, bool runs, uint32_t *ret)
{
	uint64_t key = vtb_mix64(shot->soon + 2u * shot->n_stops), *met;
	uint32_t stage = 0;
	int r;

	*ret = 0;
	if (!is_plain(shot))
		return 0;
	for (uint32_t i = 0; i < shot->n_stops; i++)
		key = vtb_mix64(key + ((uint64_t)shot->stops[i].site << 32 | shot->stops[i].chance));
	key = vtb_mix64(key + aim_routine_of(s, shot->second));
	r = vtb_bounded_map_add(&s->alike, key, 0, &met);
	if (r < 0 || !met)
		return r;
	for (uint64_t times = *met >> 32; times && (uint32_t)*met != shot->look; times /= 2)
		stage++;
	if (runs && (uint32_t)*met != shot->look)
		*met = ((*met >> 32) + 1) << 32 | shot->look;
	*ret = COST_OF_ALIKE * stage;
	return 0;
}

int aim_queue(struct aim *s, struct aim_shot shot, uint32_t cost)
{
	uint64_t *met;
	int r;

	if (s->n_shots == SHOTS_MAX) {
		s->dropped++;
		return 0;
	}
	r = vtb_bounded_map_add(&s->known, aim_key_of(&shot), 1, &met);
	if (r < 0 || met)
		return r;
	if (vtb_array_room(s, shots) < 0)
		return -ENOMEM;
	shot.cost = cost;
	shot.look = s->looks;
	s->shots[s->n_shots] = shot;
	return vtb_heap_push(&s->queue, shot.cost, (uint32_t)s->n_shots++);
}

/* ---- schedules */

/* Different shots may be one schedule where there are few threads. */
static int is_known(struct aim *s, const struct vtb_schedule *schedule, const struct aim_shot *shot)
{
	uint64_t key = 1, *met;
	int r;

	for (size_t i = 0; i < schedule->n_ranks; i++)
		key = vtb_mix64(key + schedule->ranks[i]);
	for (uint32_t i = 0; i < shot->n_stops; i++)
		key = vtb_mix64(key + key_of_stop(&shot->stops[i]));
	for (uint32_t i = 0; i < shot->n_circle; i++)
		key = vtb_mix64(key + key_of_stop(&s->circles[shot->circle + i]));
	r = vtb_bounded_map_add(&s->known, key, 1, &met);
	return r < 0 ? r : met != NULL;
}

static int deviate(struct vtb_schedule *to, const struct aim_stop *stop)
{
	int r;

	if (!stop->chance)
		return vtb_schedule_deviate(to, stop->thread, stop->index, VTB_DEV_DEMOTE, 0, stop->var, !stop->waits);
	r = vtb_schedule_deviate(to, stop->thread, stop->index, (enum vtb_deviation_kind)stop->chance, stop->target,
	                         stop->var, 1);
	if (r < 0 || stop->next == VTB_NONE)
		return r;
	return vtb_schedule_deviate(to, stop->target, stop->next, VTB_DEV_DEMOTE, 0, VTB_NONE, 0);
}

/* 1: planned; 0: the same as another one. */
static int plan(struct aim *s, uint32_t id, struct vtb_plan *ret)
{
	const struct aim_shot *shot = &s->shots[id];
	uint32_t more;
	int r = aim_rank(s, shot, &ret->schedule), known = r < 0 ? r : is_known(s, &ret->schedule, shot);

	if (known || aim_is_equal(s, shot)) {
		vtb_schedule_fini(&ret->schedule);
		return known < 0 ? known : 0;
	}
	r = cost_of_alike(s, shot, true, &more);
	ret->ticket = id;
	ret->loose = true;
	ret->schedule.policy = VTB_SCHEDULE_PRIORITY;
	for (uint32_t i = 0; r >= 0 && i < shot->n_stops; i++)
		r = deviate(&ret->schedule, &shot->stops[i]);
	for (uint32_t i = 0; r >= 0 && i < shot->n_circle; i++)
		r = deviate(&ret->schedule, &s->circles[shot->circle + i]);
	ret->schedule.tuple = vtb_schedule_tuple(&ret->schedule);
	return r < 0 ? r : 1;
}

/* 1: it costs more by now, and comes later. */
static int put_by(struct aim *s, uint32_t id)
{
	struct aim_shot *shot = &s->shots[id];
	uint32_t more;
	int r = cost_of_alike(s, shot, false, &more);

	if (r < 0 || more <= shot->more)
		return r;
	shot->more = more;
	r = vtb_heap_push(&s->queue, shot->cost + more, id);
	return r < 0 ? r : 1;
}

static int64_t aim_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct aim *s = state;
	size_t n = 0;
	int r = 0;

	if (!s->started)
		r = aim_queue(s, (struct aim_shot){ .first = VTB_NONE, .second = VTB_NONE, .third = VTB_NONE }, 0);
	s->started = true;
	max = max < 1 + s->proposed / SLOW ? max : 1 + s->proposed / SLOW;
	while (r >= 0 && n < max && s->queue.n_rows) {
		const uint32_t id = vtb_heap_pop(&s->queue);

		r = put_by(s, id);
		if (r > 0)
			continue;
		r = r < 0 ? r : plan(s, id, &plans[n]);
		n += r > 0;
	}
	s->proposed += n;
	return r < 0 ? r : (int64_t)n;
}

/* ---- runs */

/* Does main do anything with others but create them and wait for them? */
static bool main_works(const struct aim *s, const struct vtb_exec *x)
{
	bool created = false;

	for (uint32_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != 0)
			continue;
		if (e->kind == VTB_E_THREAD_JOIN)
			return false;
		if (created && vtb_event_info(e->kind)->family != VTB_FAMILY_THREAD &&
		    vtb_coverage_shared(s->space->coverage, e->var))
			return true;
		created |= e->kind == VTB_E_THREAD_CREATE;
	}
	return false;
}

/* Does a thread before it run the same routine? */
static bool has_twin(const struct aim *s, uint32_t thread)
{
	for (uint32_t t = 1; t < thread; t++)
		if (s->symmetry.class_of[t] == t && aim_is_like(s, t, thread))
			return true;
	return false;
}

/* One thread of each class goes first; and before main, which else goes before all. */
static int queue_orders(struct aim *s, const struct vtb_exec *x)
{
	const bool before_main = main_works(s, x);
	uint32_t classes = 0;
	int r = 0;

	for (uint32_t t = 1; r >= 0 && t < s->symmetry.n_class_of; t++) {
		if (s->symmetry.class_of[t] != t)
			continue;
		const uint32_t cost = classes + (classes ? COST_OF_ORDER : 0) + COST_OF_TWIN * has_twin(s, t);

		classes++;
		r = aim_queue(s, (struct aim_shot){ .first = t, .second = VTB_NONE, .third = VTB_NONE }, cost);
		if (r >= 0 && before_main)
			r = aim_queue(s, (struct aim_shot){ .first = t, .second = 0, .third = VTB_NONE }, cost + 1);
	}
	return r;
}

/* Behind the first one another one, which else would come later. */
static int queue_pairs(struct aim *s, const struct aim_shot *shot)
{
	uint32_t pairs = 0;
	int r = 0;

	for (uint32_t t = 1; r >= 0 && t < s->symmetry.n_class_of && pairs < AIM_PARTNERS; t++) {
		const uint32_t class = s->symmetry.class_of[t];

		if (t == shot->first || (class != t && class != shot->first))
			continue;
		r = aim_queue(s, (struct aim_shot){ .first = shot->first, .second = t, .third = VTB_NONE },
		              COST_OF_PAIR + pairs++);
	}
	return r;
}

static int aim_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct aim *s = state;
	const struct aim_shot shot = s->shots[ticket];
	uint64_t *met;
	int r;

	(void)new_class; /* others may have seen it, and learnt something else from it */
	if (shot.n_circle || x->brief || x->partial || x->owned || !x->n_events) /* not all operations are told */
		return 0;
	r = vtb_bounded_map_add(&s->classes, s->space->prefix[x->n_events - 1], 1, &met);
	if (r < 0)
		return r;
	r = aim_read_begins(s, x);
	r = r < 0 ? r : vtb_symmetry_add(&s->symmetry, x, s->space->tab, s->space->coverage);
	if (r >= 0 && !shot.n_stops)
		r = queue_orders(s, x);
	if (r >= 0 && !shot.n_stops && shot.first != VTB_NONE && shot.second == VTB_NONE)
		r = queue_pairs(s, &shot);
	return r < 0 ? r : aim_learn(s, &shot, x, !met);
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
	vtb_bounded_map_fini(&s->alike);
	vtb_bounded_map_fini(&s->known);
	vtb_bounded_map_fini(&s->equal);
	vtb_bounded_map_fini(&s->classes);
	vtb_bounded_map_fini(&s->read);
	free(s->shots);
	free(s->routines);
	free(s->begins);
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
