/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shrink_moves.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/exec_stretch.h"
#include "vtb/array.h"

#define PLACES_MAX 24u  /* other points tried for one switch, nearest first */
#define TARGETS_MAX 8u  /* other threads tried for one switch */
#define MOVES_MAX 4096u /* proposals of one step: enough for any schedule a person will read */

void vtb_shrink_moves_fini(struct shrink_moves *moves)
{
	for (size_t i = 0; i < moves->n_schedules; i++)
		vtb_schedule_fini(&moves->schedules[i]);
	free(moves->schedules);
	*moves = (struct shrink_moves){ 0 };
}

/* ---- cost */

static uint32_t threads_touched(const struct vtb_schedule *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n_deviations; i++) {
		const uint32_t ends[2] = { s->deviations[i].after.thread, s->deviations[i].target };
		const size_t n_ends = s->deviations[i].kind == VTB_DEV_SWITCH ? 2 : 1;

		for (size_t e = 0; e < n_ends; e++) {
			bool seen = e == 1 && ends[0] == ends[1];

			for (size_t j = 0; j < i && !seen; j++)
				seen = s->deviations[j].after.thread == ends[e] ||
				       (s->deviations[j].kind == VTB_DEV_SWITCH && s->deviations[j].target == ends[e]);
			n += !seen;
		}
	}
	return n;
}

/* Does an event of another thread in the stretch that follows a switch at `i` conflict with the event before the
 * switch? */
static bool intruders_conflict(const struct vtb_exec *x, size_t i)
{
	const size_t back = vtb_stretch_return(x, i);

	for (size_t j = i; j < back; j++)
		if (vtb_event_conflict(&x->events[i - 1], &x->events[j]))
			return true;
	return false;
}

/* The thread that run-to-block takes when the running one must wait: the first created that can go on. */
static uint32_t first_enabled(const struct vtb_exec *x, size_t i)
{
	for (uint32_t word = 0; word < x->stride; word++)
		if (x->enabled[i * x->stride + word])
			return word * 64 + (uint32_t)__builtin_ctzll(x->enabled[i * x->stride + word]);
	return VTB_NONE;
}

/* Who yields is let try again by the policy, and waits only after many tries: to take turns at each yield departs. */
static bool departs(const struct vtb_exec *x, size_t i)
{
	const uint32_t running = x->events[i - 1].thread, next = x->events[i].thread;

	if (running == next || x->events[i].kind == VTB_E_LOST)
		return false;
	if (x->events[i - 1].kind == VTB_E_YIELD)
		return true;
	return vtb_exec_enabled(x, i, running) || next != first_enabled(x, i);
}

struct shrink_cost vtb_shrink_cost(const struct vtb_exec *x, const struct vtb_schedule *exact)
{
	const struct vtb_tuple tuple = vtb_exec_tuple(x);
	struct shrink_cost cost = {
		.c = tuple.c, .v = tuple.v, .threads = threads_touched(exact), .switches = (uint32_t)exact->n_deviations
	};

	for (size_t i = 1; i < x->n_events; i++) {
		cost.departures += departs(x, i);
		cost.far += vtb_exec_preempts(x, i) && !intruders_conflict(x, i);
	}
	return cost;
}

int vtb_shrink_compare(const struct shrink_cost *a, const struct shrink_cost *b)
{
	const uint32_t left[] = { a->c, a->v, a->threads, a->departures, a->switches, a->far },
	               right[] = { b->c, b->v, b->threads, b->departures, b->switches, b->far };

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

/* ---- moves */

bool vtb_shrink_moves_full(const struct shrink_moves *moves)
{
	return moves->n_proposed >= moves->skip + moves->room;
}

/* Counts one more; true if it lies in the window. */
static bool in_window(struct shrink_moves *moves)
{
	const size_t number = moves->n_proposed;

	if (number >= MOVES_MAX || vtb_shrink_moves_full(moves))
		return false;
	moves->n_proposed++;
	return number >= moves->skip;
}

/* A copy of `s` without the deviations [from, to), appended; NULL on -ENOMEM or outside of the window (*ret_r tells).
 */
static struct vtb_schedule *propose_without(struct shrink_moves *moves, const struct vtb_schedule *s, size_t from,
                                            size_t to, int *ret_r)
{
	struct vtb_schedule *copy;

	*ret_r = 0;
	if (!in_window(moves))
		return NULL;
	*ret_r = vtb_array_room(moves, schedules);
	if (*ret_r < 0)
		return NULL;
	copy = &moves->schedules[moves->n_schedules];
	*ret_r = vtb_schedule_copy(s, copy);
	if (*ret_r < 0)
		return NULL;
	moves->n_schedules++;
	for (size_t i = to; i < copy->n_deviations; i++)
		copy->deviations[from + (i - to)] = copy->deviations[i];
	copy->n_deviations -= to - from;
	return copy;
}

int vtb_shrink_remove(const struct vtb_exec *x, const struct vtb_schedule *s, struct shrink_moves *moves)
{
	int r = 0;

	(void)x;
	if (s->n_deviations == 0)
		return 0;
	propose_without(moves, s, 0, s->n_deviations, &r);
	for (size_t size = s->n_deviations / 2; size >= 1 && r == 0; size /= 2)
		for (size_t at = 0; at < s->n_deviations && r == 0; at += size)
			propose_without(moves, s, at, at + size < s->n_deviations ? at + size : s->n_deviations, &r);
	/* a switch there and its switch back: neither can go alone, as the thread left behind would never come on */
	for (size_t i = 0; i + 1 < s->n_deviations && r == 0; i++)
		propose_without(moves, s, i, i + 2, &r);
	return r;
}

/* The same deviation after the operation number `index` of its thread. */
#define LOOKS_MAX 20000000u

static int propose_at(struct shrink_moves *moves, const struct vtb_schedule *s, size_t deviation, uint32_t index)
{
	struct vtb_schedule *copy;
	int r;

	copy = propose_without(moves, s, 0, 0, &r);
	if (copy) {
		copy->deviations[deviation].after.index = index;
		copy->deviations[deviation].after.name = (struct vtb_opname){ 0 };
	}
	return r;
}

/* Points in the same thread: those after an access that somebody conflicts with first, as only they can matter for the
 * outcome, then the neighbours. */
static int move_one(const struct vtb_exec *x, const struct vtb_schedule *s, size_t deviation,
                    struct shrink_moves *moves)
{
	const struct vtb_op *after = &s->deviations[deviation].after;
	const uint32_t last = vtb_stretch_operations(x, after->thread);
	const uint64_t farthest = 2 + LOOKS_MAX / (x->n_events + 1); /* each place is held against all events */
	unsigned places = 0;

	for (uint32_t d = 1; d <= farthest && places < PLACES_MAX && (d <= after->index || after->index + d <= last);
	     d++) {
		for (int side = 0; side < 2; side++) {
			const uint32_t index = side ? after->index + d : after->index - d;
			int r;

			if ((side ? after->index + d > last : d > after->index) ||
			    (d > 2 && !vtb_stretch_contended(x, after->thread, index)))
				continue;
			r = propose_at(moves, s, deviation, index);
			if (r < 0)
				return r;
			places++;
		}
	}
	return 0;
}

int vtb_shrink_move(const struct vtb_exec *x, const struct vtb_schedule *s, struct shrink_moves *moves)
{
	int r = 0;

	for (size_t i = 0; i < s->n_deviations && r == 0 && !vtb_shrink_moves_full(moves); i++)
		if (s->deviations[i].kind == VTB_DEV_SWITCH)
			r = move_one(x, s, i, moves);
	return r;
}

int vtb_shrink_retarget(const struct vtb_exec *x, const struct vtb_schedule *s, struct shrink_moves *moves)
{
	const uint32_t threads = x->stride * 64;
	int r = 0;

	for (size_t i = 0; i < s->n_deviations && r == 0; i++) {
		unsigned targets = 0;

		if (s->deviations[i].kind != VTB_DEV_SWITCH)
			continue;
		for (uint32_t t = 0; t < threads && targets < TARGETS_MAX && r == 0; t++) {
			struct vtb_schedule *copy;

			if (t == s->deviations[i].target || t == s->deviations[i].after.thread ||
			    vtb_stretch_operations(x, t) == 0)
				continue;
			copy = propose_without(moves, s, 0, 0, &r);
			if (copy)
				copy->deviations[i].target = t;
			targets++;
		}
	}
	return r;
}

/* One paid switch and nothing else. What follows it may need another target than before, as all threads run in another
 * order now: those created after the one that is stopped have most to do yet. */
static int propose_single(struct shrink_moves *moves, const struct vtb_schedule *s, const struct vtb_exec *x,
                          size_t deviation)
{
	const uint32_t threads = x->stride * 64, stopped = s->deviations[deviation].after.thread;
	unsigned targets = 0;
	int r = 0;

	for (uint32_t i = 0; i < threads && targets < TARGETS_MAX && r == 0; i++) {
		const uint32_t t = i ? (stopped + i) % threads : s->deviations[deviation].target;
		struct vtb_schedule *copy;

		if (t == stopped || (i && t == s->deviations[deviation].target) || vtb_stretch_operations(x, t) == 0)
			continue;
		copy = propose_without(moves, s, 0, 0, &r);
		if (copy) {
			copy->deviations[0] = copy->deviations[deviation];
			copy->deviations[0].target = t;
			copy->n_deviations = 1;
		}
		targets++;
	}
	return r;
}

int vtb_shrink_single(const struct vtb_exec *x, const struct vtb_schedule *s, struct shrink_moves *moves)
{
	int r = 0;

	for (size_t i = 0; s->n_deviations > 1 && i < s->n_deviations && r == 0; i++)
		if (s->deviations[i].kind == VTB_DEV_SWITCH && s->deviations[i].cost)
			r = propose_single(moves, s, x, i);
	return r;
}

static uint32_t swapped(uint32_t thread, uint32_t a, uint32_t b)
{
	return thread == a ? b : thread == b ? a : thread;
}

/* All deviations, or only the paid ones, with a and b in each other's place. */
static int propose_swapped(struct shrink_moves *moves, const struct vtb_schedule *s, uint32_t a, uint32_t b,
                           bool paid_only)
{
	struct vtb_schedule *copy;
	size_t n = 0;
	int r;

	copy = propose_without(moves, s, 0, 0, &r);
	for (size_t i = 0; copy && i < copy->n_deviations; i++) {
		struct vtb_deviation d = copy->deviations[i];

		if (paid_only && !d.cost)
			continue;
		d.after.thread = swapped(d.after.thread, a, b);
		d.after.name = (struct vtb_opname){ 0 };
		if (d.kind == VTB_DEV_SWITCH)
			d.target = swapped(d.target, a, b);
		copy->deviations[n++] = d;
	}
	if (copy)
		copy->n_deviations = n;
	return r;
}

int vtb_shrink_rename(const struct vtb_exec *x, const struct vtb_schedule *s, struct shrink_moves *moves)
{
	uint32_t threads[TARGETS_MAX];
	size_t n = 0;
	int r = 0;

	for (uint32_t t = 0; t < x->stride * 64 && n < TARGETS_MAX; t++)
		if (vtb_stretch_operations(x, t))
			threads[n++] = t;
	for (size_t i = 0; i < n && r == 0; i++)
		for (size_t j = i + 1; j < n && r == 0; j++) {
			r = propose_swapped(moves, s, threads[i], threads[j], true);
			if (r == 0)
				r = propose_swapped(moves, s, threads[i], threads[j], false);
		}
	return r;
}
