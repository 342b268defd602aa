/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exitblock: every order of atomic blocks. A block ends at a lock exit, a wait, a birth, a death, an atomic operation.
 * That covers all behaviours of a program that keeps a mutual-exclusion discipline; lockset.c checks it alongside, and
 * the claim says where it is broken. At each block everybody else who could go on is tried as well, orders with fewest
 * switches first (exit_tree.h).
 *
 *      | block of t1 | block of t2 | block of t1 | ...        a level for each; levels[i].first: its first operation
 *
 * --rw: who was tried at a point is delayed in the branches tried after it, until a block runs that depends on the one
 * that it would run: w1 & w2, r1 & w2 or w1 & r2; taking a lock counts as a write of the lock. If only delayed threads
 * can go on, the run is given up: it is counted as started, and as blocked.
 *
 * Births one after another are one block, and a thread that joins can go on when all are done that it joins one after
 * another: they commute with everything. A thread that must wait in the middle of a block ends it there, which adds
 * orders. A signal with several waiters is tried with each of them.
 *
 * A circle of locks that a run shows without getting stuck (lockset.h) is confirmed by a run of its own.
 * Source: [EXITBLOCK99]. See docs/algorithms.md, "Atomic blocks".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_paths.h"
#include "vtb/array.h"
#include "vtb/coverage.h"
#include "vtb/state_set.h"

#define CONFIRM UINT64_MAX /* ticket of a run that confirms a circle of locks */

/* ---- who can begin a block */

/* A new level before event k: everybody who could begin a block and is not delayed. */
static int open_level(struct exitblock *b, const struct vtb_exec *x, uint32_t k)
{
	const size_t level = b->n_levels, words = (level + 1) * b->stride;
	void *items = b->open;

	if (vtb_array_room(b, levels) < 0 ||
	    (words > b->cap_open && vtb_array_reserve(&items, &b->cap_open, words, sizeof(*b->open)) < 0))
		return -ENOMEM;
	b->open = items;
	memset(exit_open_at(b, level), 0, b->stride * sizeof(*b->open));
	for (uint32_t t = 0;
	     t < 64 * x->stride && !b->met && vtb_exit_blocks_begins(&b->blocks_of, k, x->events[k].thread);
	     t++) /* else it joins some of several: that commutes with everything */
		if (t != x->events[k].thread && vtb_exec_enabled(x, k, t) && !exit_delayed_at(b, level, t) &&
		    vtb_exit_blocks_begins(&b->blocks_of, k, t))
			exit_open_at(b, level)[t / 64] |= 1ull << t % 64;
	b->levels[b->n_levels++] = (struct block_level){ .first = (uint32_t)b->n_ops,
		                                         .end = (uint32_t)b->n_ops,
		                                         .thread = x->events[k].thread };
	return 0;
}

/* ---- reading a run */

static bool by_time(const struct vtb_event *e)
{
	return e->kind == VTB_E_SLEEP || (vtb_event_is(e, VTB_EV_BLOCKS) && e->value == ETIMEDOUT);
}

static int add_operation(struct exitblock *b, const struct vtb_event *e)
{
	if (vtb_array_room(b, ops) < 0 || vtb_array_room(b, index) < 0)
		return -ENOMEM;
	b->index[b->n_index++] = b->done[e->thread];
	b->ops[b->n_ops++] = *e;
	b->levels[b->n_levels - 1].end = (uint32_t)b->n_ops;
	return 0;
}

/* How many waiters the signal could wake: a choice if it is the first of its block. */
static int note_signal(struct exitblock *b, size_t k, const struct vtb_event *e, bool new)
{
	struct block_level *l = &b->levels[b->n_levels - 1];
	int r = vtb_chances_of(&b->chances, k);
	uint32_t places = 0;

	for (size_t i = 0; r >= 0 && i < b->chances.n_list; i++)
		places += b->chances.list[i].kind == VTB_DEV_WAITER;
	if (r < 0 || !new || !places || e->kind != VTB_E_COND_SIGNAL)
		return r;
	b->more_signals |= l->places > 0;
	if (!l->places && !b->met) {
		l->places = places;
		l->signal = b->done[e->thread] - 1;
		l->signal_var = e->var;
	}
	return 0;
}

static int read_operation(struct exitblock *b, const struct vtb_exec *x, size_t k, bool new)
{
	const struct vtb_event *e = &x->events[k];
	int r = 0;

	b->done[e->thread]++;
	b->timed |= by_time(e);
	r = note_signal(b, k, e, new);
	if (r >= 0)
		r = vtb_chances_feed(&b->chances, k);
	if (r >= 0 && new)
		r = add_operation(b, e);
	return r < 0 ? r : vtb_exit_blocks_pass(&b->blocks_of, k);
}

/* Does a block begin with event k? `ended`: the operation before ended one. */
static bool begins_block(const struct vtb_exec *x, size_t k, uint32_t thread, bool ended)
{
	const struct vtb_event *e = &x->events[k];

	return e->thread != thread || (ended && e->kind != VTB_E_THREAD_END);
}

static bool followed(const struct exitblock *b, const struct vtb_exec *x, size_t kept)
{
	uint32_t n = 0;

	for (size_t k = 0; k < x->n_events && kept > 1 && n < b->levels[kept - 1].first; k++)
		if (vtb_event_is_operation(&x->events[k]) && x->events[k].thread != b->ops[n++].thread)
			return false;
	for (size_t k = 0, m = 0; k < x->n_events; k++)
		if (vtb_event_is_operation(&x->events[k]) && m++ == n)
			return kept == 0 || x->events[k].thread == b->levels[kept - 1].thread;
	return false;
}

/* Levels from `kept` - 1 on, where the run departs, are new. 1 if only delayed threads could go on. */
static int read_blocks(struct exitblock *b, const struct vtb_exec *x, size_t kept)
{
	const uint32_t old = kept ? b->levels[kept - 1].first : 0;
	uint32_t thread = VTB_NONE, n = 0;
	bool ended = true;
	int r = 0;

	for (size_t k = 0; r >= 0 && k < x->n_events; k++) {
		const struct vtb_event *e = &x->events[k];

		if (!vtb_event_is_operation(e))
			continue;
		if (n > old || (n == old && kept == 0)) {
			if (begins_block(x, k, thread, ended)) {
				if (b->n_levels)
					exit_enable_again(b, b->n_levels - 1);
				if (exit_delayed_at(b, b->n_levels, e->thread))
					return 1;
				if (b->space->states && !b->met && n > old)
					r = vtb_state_set_ask(b->space->states, (uint32_t)k, 0, &b->met);
				r = r < 0 ? r : open_level(b, x, (uint32_t)k);
			}
		}
		if (r >= 0)
			r = read_operation(b, x, k, n >= old);
		ended = vtb_exit_blocks_ends(&b->blocks_of, k);
		thread = e->thread;
		n++;
	}
	return r;
}

static int room_for_run(struct exitblock *b, const struct vtb_exec *x)
{
	if (vtb_array_extend(b, done, 64ull * x->stride, 0) < 0)
		return -ENOMEM;
	memset(b->done, 0, b->n_done * sizeof(*b->done));
	return x->stride > b->stride ? exit_widen(b, x->stride) : 0;
}

/* Circles of locks that are new: each is to be confirmed once. */
static int note_cycles(struct exitblock *b, const struct vtb_exec *x)
{
	int r = vtb_lockset_read(&b->lockset, x);

	for (size_t k = 0; r >= 0 && k < b->lockset.n_cycles; k++) {
		const struct vtb_lock_cycle *c = &b->lockset.cycles[k];
		bool known = false;

		for (size_t i = 0; i < b->n_confirmed && !known; i++)
			known = b->confirmed[i].thread == c->thread && b->confirmed[i].other == c->other &&
			        b->confirmed[i].other_lock == c->other_lock;
		if (known)
			continue;
		if (vtb_array_room(b, confirmed) < 0 || vtb_array_room(b, to_confirm) < 0)
			return -ENOMEM;
		b->confirmed[b->n_confirmed++] = *c;
		b->to_confirm[b->n_to_confirm++] = *c;
		vtb_schedule_fini(&b->base);
		r = vtb_exec_schedule(x, &b->base);
	}
	return r;
}

static bool looks_at_lock(const struct vtb_event *e)
{
	return (e->flags & VTB_EVF_TRY && e->kind != VTB_E_THREAD_JOIN && e->kind != VTB_E_SIGNAL_SEND) ||
	       e->kind == VTB_E_TRYLOCK || e->kind == VTB_E_TIMEDLOCK || e->kind == VTB_E_TRYRDLOCK ||
	       e->kind == VTB_E_TRYWRLOCK;
}

static void note_kinds(struct exitblock *b, const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++) {
		b->tries |= looks_at_lock(&x->events[i]);
		b->yields |= x->events[i].kind == VTB_E_YIELD;
	}
	for (size_t i = 0; i < x->n_pending; i++)
		b->tries |= looks_at_lock(&x->pending[i]);
}

static bool ends_others(const struct vtb_exec *x)
{
	const struct vtb_event *last = x->n_events ? &x->events[x->n_events - 1] : NULL;

	for (size_t i = 0; last && last->kind == VTB_E_PROCESS_EXIT && i < x->n_pending; i++)
		if (x->pending[i].thread != last->thread)
			return true;
	return false;
}

static int exitblock_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct exitblock *b = state;
	int r;

	(void)new_class;
	if (ticket == CONFIRM)
		return 0;
	r = room_for_run(b, x);
	if (r < 0)
		return r;
	b->possible |= vtb_chances_possible(&b->chances, x);
	b->cuts_short |= ends_others(x);
	note_kinds(b, x);
	if (!followed(b, x, (size_t)ticket)) {
		b->diverged++;
		return exit_give_up_run(b);
	}
	r = vtb_exit_blocks_begin(&b->blocks_of, x);
	if (r < 0)
		return r;
	vtb_chances_begin(&b->chances, x);
	b->met = false;
	if (b->space->states)
		vtb_state_set_begin(b->space->states, x);
	r = read_blocks(b, x, (size_t)ticket);
	b->blocked += r > 0;
	b->cut += vtb_verdict_is_cut(x->outcome.verdict) || x->outcome.verdict == VTB_V_LIVELOCK;
	if (r >= 0)
		r = exit_keep_run(b, (size_t)ticket);
	return r < 0 ? r : note_cycles(b, x);
}

/* ---- proposing */

static int add_rank(struct vtb_schedule *s, uint32_t thread)
{
	if (vtb_array_room(s, ranks) < 0)
		return -ENOMEM;
	s->ranks[s->n_ranks++] = thread;
	return 0;
}

static int build(const struct exitblock *b, struct vtb_schedule *s)
{
	const size_t last = b->n_levels - 1;
	int r = 0;

	s->policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	for (size_t i = 0; r >= 0 && i < b->n_levels; i++) {
		const struct block_level *l = &b->levels[i];
		const struct vtb_event *before = i ? &b->ops[b->levels[i - 1].end - 1] : NULL;

		if (before && before->thread != l->thread)
			r = vtb_schedule_deviate(s, before->thread, b->index[b->levels[i - 1].end - 1], VTB_DEV_SWITCH,
			                         l->thread, before->var, 0);
		if (r >= 0 && l->place)
			r = vtb_schedule_deviate(s, l->thread, l->signal, VTB_DEV_WAITER, l->place, l->signal_var, 1);
	}
	for (int late = 0; r >= 0 && b->n_delayed && late < 2; late++)
		for (uint32_t t = 0; r >= 0 && t < b->space->coverage->n_threads; t++)
			if ((exit_delayed_at(b, last, t) != NULL) == late)
				r = add_rank(s, t);
	return r;
}

/* The thread that holds the outer lock stops before the inner one, the other goes on from there. */
static int confirm(struct exitblock *b, struct vtb_plan *plan)
{
	const struct vtb_lock_cycle c = b->to_confirm[--b->n_to_confirm];
	int r = 0;

	plan->ticket = CONFIRM;
	plan->loose = true;
	plan->schedule.policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	for (size_t i = 0; r >= 0 && i < b->base.n_deviations; i++) {
		const struct vtb_deviation *d = &b->base.deviations[i];

		if (d->after.thread == c.thread && d->after.index >= c.op)
			break;
		r = vtb_schedule_deviate(&plan->schedule, d->after.thread, d->after.index, d->kind, d->target, d->var,
		                         d->cost);
	}
	return r < 0 ? r : vtb_schedule_deviate(&plan->schedule, c.thread, c.op, VTB_DEV_SWITCH, c.other, VTB_NONE, 1);
}

static int64_t depart(struct exitblock *b, struct vtb_plan *plan)
{
	struct exit_try try;
	int64_t point = exit_give_up_run(b); /* of which nothing was heard */
	int r;

	if (point >= 0)
		point = exit_tree_next(&b->tree, b->space->opts->rw, &try);
	b->exhausted = point == VTB_NONE;
	if (point < 0 || b->exhausted)
		return point < 0 ? point : 0;
	r = exit_go_to(b, (uint32_t)point, &try);
	if (r >= 0)
		r = build(b, &plan->schedule);
	b->tried_at = (uint32_t)point;
	plan->ticket = b->n_levels;
	return r < 0 ? r : 1;
}

static int64_t exitblock_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct exitblock *b = state;
	int r;

	(void)max; /* one at a time: what to try next depends on what this one shows */
	if (!b->started) {
		b->started = true;
		plans[0].schedule.policy = VTB_SCHEDULE_RUN_TO_BLOCK;
		return 1;
	}
	if (b->n_to_confirm) {
		r = confirm(b, &plans[0]);
		return r < 0 ? r : 1;
	}
	return b->exhausted ? 0 : depart(b, &plans[0]);
}

static void exitblock_end(void *state)
{
	struct exitblock *b = state;

	vtb_exit_blocks_fini(&b->blocks_of);
	vtb_chances_fini(&b->chances);
	vtb_lockset_fini(&b->lockset);
	vtb_schedule_fini(&b->base);
	exit_tree_fini(&b->tree);
	free(b->path);
	free(b->levels);
	free(b->open);
	free(b->ops);
	free(b->index);
	free(b->blocks);
	free(b->delayed);
	free(b->done);
	free(b->to_confirm);
	free(b->confirmed);
	free(b);
}

static int exitblock_begin(const struct vtb_space *space, void **ret_state)
{
	struct exitblock *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->space = b->blocks_of.space = space;
	b->stride = 1;
	b->tried_at = VTB_NONE;
	*ret_state = b;
	return 0;
}

const struct vtb_strategy vtb_strategy_exitblock = {
	.name = "exitblock",
	.help =
	    "every order of atomic blocks, for programs that lock what they share; with --rw only orders that differ",
	.can = VTB_STRATEGY_STATES | VTB_STRATEGY_REGIONS,
	.begin = exitblock_begin,
	.next = exitblock_next,
	.feedback = exitblock_feedback,
	.claim = exit_claim,
	.end = exitblock_end,
};
