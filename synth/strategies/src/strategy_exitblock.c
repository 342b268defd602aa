/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exitblock: every order of atomic blocks. A block ends at a lock exit, a wait, a birth, a death, an atomic operation.
 * That covers all behaviours of a program that keeps a mutual-exclusion discipline; lockset.c checks it alongside, and
 * the claim says where it is broken. Depth first; at each block everybody else who could go on is tried as well.
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

#include "dpor/dpor.h"
#include "exit_blocks.h"
#include "lockset.h"
#include "vtb/array.h"
#include "vtb/chances.h"
#include "vtb/coverage.h"
#include "vtb/state_set.h"

struct block_level {
	uint32_t first, end; /* its operations, in exitblock.ops */
	uint32_t thread;
	uint32_t place,
	    places;      /* WAITER of its first signal with a choice: place chosen, how many there are; 0 no choice */
	uint32_t signal; /* operation index, in its thread, before that signal */
	uint32_t signal_var;
};

/* A thread that was tried and is delayed. Its block is ops[first, end) of `blocks`. */
struct delayed {
	uint32_t thread, first, end, from, woken;
};

struct exitblock {
	const struct vtb_space *space;
	struct block_level *levels;
	size_t n_levels, cap_levels;
	uint64_t *open; /* by level: threads to be tried; `stride` words each */
	size_t n_open, cap_open;
	uint32_t stride;
	struct vtb_event *ops; /* of the run, by levels */
	size_t n_ops, cap_ops;
	uint32_t *index; /* by op: operations that its thread has done, it included */
	size_t n_index, cap_index;
	struct vtb_event *blocks; /* what delayed threads would do */
	size_t n_blocks, cap_blocks;
	struct delayed *delayed;
	size_t n_delayed, cap_delayed;
	uint32_t *done; /* by thread: operations */
	size_t n_done, cap_done;
	struct vtb_exit_blocks blocks_of; /* the run being read */
	struct vtb_chances chances;
	struct vtb_lockset lockset;
	struct vtb_lock_cycle *to_confirm, *confirmed;
	size_t n_to_confirm, cap_to_confirm, n_confirmed, cap_confirmed;
	struct vtb_schedule base; /* the schedule of the last run: what a confirmation departs from */
	bool started, exhausted, timed, more_signals;
	bool cuts_short; /* in some run the process ended while others lived: a block may be cut in the middle */
	bool tries;      /* some run had an operation that tells without waiting whether a lock is held: blocks are not
	                    atomic for it */
	bool yields; /* some run had a thread give way: who is delayed is not told apart from who waits for another */
	bool met;    /* the run being read has come to a state that was gone on from before */
	uint32_t possible;
	uint64_t blocked, diverged, cut;
};

#define CONFIRM UINT64_MAX /* ticket of a run that confirms a circle of locks */
#define NEVER UINT32_MAX

/* ---- who can begin a block */

static uint64_t *open_at(const struct exitblock *b, size_t level)
{
	return b->open + level * b->stride;
}

static bool in_set(const uint64_t *set, uint32_t thread)
{
	return set[thread / 64] >> thread % 64 & 1;
}

static const struct delayed *delayed_at(const struct exitblock *b, size_t level, uint32_t thread)
{
	for (size_t k = 0; k < b->n_delayed; k++)
		if (b->delayed[k].thread == thread && b->delayed[k].from <= level && level < b->delayed[k].woken)
			return &b->delayed[k];
	return NULL;
}

static int widen(struct exitblock *b, uint32_t stride)
{
	uint64_t *wider = calloc(b->cap_open / b->stride * stride + stride, sizeof(*wider));

	if (!wider)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_levels; i++)
		memcpy(wider + i * stride, open_at(b, i), b->stride * sizeof(*wider));
	free(b->open);
	b->open = wider;
	b->cap_open = b->cap_open / b->stride * stride + stride;
	b->stride = stride;
	return 0;
}

/* A new level before event k: everybody who could begin a block and is not delayed. */
static int open_level(struct exitblock *b, const struct vtb_exec *x, uint32_t k)
{
	const size_t level = b->n_levels, words = (level + 1) * b->stride;
	void *items = b->open;

	if (vtb_array_room(b, levels) < 0 ||
	    (words > b->cap_open && vtb_array_reserve(&items, &b->cap_open, words, sizeof(*b->open)) < 0))
		return -ENOMEM;
	b->open = items;
	memset(open_at(b, level), 0, b->stride * sizeof(*b->open));
	for (uint32_t t = 0;
	     t < 64 * x->stride && !b->met && vtb_exit_blocks_begins(&b->blocks_of, k, x->events[k].thread);
	     t++) /* else it joins some of several: that commutes with everything */
		if (t != x->events[k].thread && vtb_exec_enabled(x, k, t) && !delayed_at(b, level, t) &&
		    vtb_exit_blocks_begins(&b->blocks_of, k, t))
			open_at(b, level)[t / 64] |= 1ull << t % 64;
	b->levels[b->n_levels++] = (struct block_level){ .first = (uint32_t)b->n_ops,
		                                         .end = (uint32_t)b->n_ops,
		                                         .thread = x->events[k].thread };
	return 0;
}

/* ---- delaying */

static bool depends(const struct exitblock *b, const struct block_level *l, const struct delayed *d)
{
	for (uint32_t i = l->first; i < l->end; i++)
		for (uint32_t j = d->first; j < d->end; j++)
			if (vtb_dpor_dependent(&(struct dpor_op){ .event = b->ops[i] },
			                       &(struct dpor_op){ .event = b->blocks[j] }))
				return true;
	return false;
}

/* The block of `level` has run: who is delayed and depends on it may go on from the next level. */
static void enable_again(struct exitblock *b, size_t level)
{
	const struct block_level *l = &b->levels[level];

	for (size_t k = 0; k < b->n_delayed; k++) {
		struct delayed *d = &b->delayed[k];

		if (d->from <= level && d->woken == NEVER && d->thread != l->thread && depends(b, l, d))
			d->woken = (uint32_t)level + 1;
	}
}

static int delay(struct exitblock *b, size_t level)
{
	const struct block_level *l = &b->levels[level];
	struct delayed d = {
		.thread = l->thread, .first = (uint32_t)b->n_blocks, .from = (uint32_t)level, .woken = NEVER
	};

	if (!b->space->opts->rw)
		return 0;
	for (uint32_t i = l->first; i < l->end; i++) {
		if (vtb_array_room(b, blocks) < 0)
			return -ENOMEM;
		b->blocks[b->n_blocks++] = b->ops[i];
	}
	d.end = (uint32_t)b->n_blocks;
	if (vtb_array_room(b, delayed) < 0)
		return -ENOMEM;
	b->delayed[b->n_delayed++] = d;
	return 0;
}

/* Forget what deeper levels than `level` have delayed, and what they and it have enabled again. */
static void go_back(struct exitblock *b, size_t level)
{
	while (b->n_delayed && b->delayed[b->n_delayed - 1].from > level)
		b->n_blocks = b->delayed[--b->n_delayed].first;
	for (size_t k = 0; k < b->n_delayed; k++)
		if (b->delayed[k].woken != NEVER && b->delayed[k].woken > level)
			b->delayed[k].woken = NEVER;
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
					enable_again(b, b->n_levels - 1);
				if (delayed_at(b, b->n_levels, e->thread))
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
	return x->stride > b->stride ? widen(b, x->stride) : 0;
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
	return e->kind == VTB_E_TRYLOCK || e->kind == VTB_E_TIMEDLOCK || e->kind == VTB_E_TRYRDLOCK ||
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
		return 0;
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
			if ((delayed_at(b, last, t) != NULL) == late)
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

/* Another waiter for the same block, or another thread; false if nothing is left at the last level. */
static bool next_choice(struct exitblock *b)
{
	struct block_level *l = &b->levels[b->n_levels - 1];
	uint64_t *open = open_at(b, b->n_levels - 1);

	if (l->place < l->places) {
		l->place++;
		return true;
	}
	for (uint32_t t = 0; t < 64 * b->stride; t++)
		if (in_set(open, t)) {
			open[t / 64] &= ~(1ull << t % 64);
			*l = (struct block_level){ .first = l->first, .end = l->first, .thread = t };
			return true;
		}
	return false;
}

/* What the last level has tried is delayed in what it tries next; not while only the waiter changes. */
static int retire(struct exitblock *b)
{
	const struct block_level *l = &b->levels[b->n_levels - 1];

	go_back(b, b->n_levels - 1);
	return l->place < l->places || l->end == l->first ? 0 : delay(b, b->n_levels - 1);
}

static int64_t depart(struct exitblock *b, struct vtb_plan *plan)
{
	while (b->n_levels) {
		int r = retire(b);

		if (r < 0)
			return r;
		if (next_choice(b)) {
			struct block_level *l = &b->levels[b->n_levels - 1];

			b->n_ops = b->n_index = l->first;
			l->end = l->first;
			r = build(b, &plan->schedule);
			plan->ticket = b->n_levels;
			return r < 0 ? r : 1;
		}
		b->n_levels--;
	}
	b->exhausted = true;
	return 0;
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

static void exitblock_claim(const void *state, struct vtb_claim *ret)
{
	const struct exitblock *b = state;
	const uint32_t waiters = b->possible & 1u << VTB_DEV_WAITER && !b->more_signals ? 1u << VTB_DEV_WAITER : 0;
	const bool all = b->exhausted && !b->diverged && !b->cut && !b->timed;
	const char *rw = b->space->opts->rw ? ", but for those that reads and writes tell to be equal; that this finds "
	                                      "every circle of locks is not proved"
	                                    : "";
	const char *trust = b->space->opts->trusted ? ", with trusted functions" : "";
	const char *cut = b->cuts_short ? ", but for how far other threads have come when the process ends" : "";

	*ret = (struct vtb_claim){ .exhausted = b->exhausted,
		                   .blocked = b->blocked,
		                   .explored = waiters,
		                   .unexplored = b->possible & ~waiters };
	ret->least = all && !b->space->opts->trusted; /* who is not preempted runs to the end of a block */
	if (b->lockset.broken)
		snprintf(
		    ret->text, sizeof(ret->text),
		    "%s, but %s in thread %s is accessed without a common lock: other orders may do what was not seen",
		    all ? "every order of atomic blocks was executed" : "orders of atomic blocks were executed",
		    vtb_variable_name(b->space->tab, b->lockset.second.var),
		    vtb_thread_path(b->space->tab, b->lockset.second.thread));
	else if (all && (b->tries || (b->space->opts->rw && b->yields)))
		snprintf(ret->text, sizeof(ret->text),
		         "every order of atomic blocks was executed%s%s, but %s: other orders may do what was not seen",
		         rw, trust,
		         b->tries
		             ? "a trylock or a lock with a deadline can tell whether another thread is inside a block"
		             : "threads give way in loops, of which not every order was executed");
	else if (all)
		snprintf(ret->text, sizeof(ret->text),
		         "every order of atomic blocks was executed%s%s; all accesses were made under common locks, so "
		         "there is no other behaviour%s",
		         rw, trust, cut);
	else
		snprintf(ret->text, sizeof(ret->text), "not every order of atomic blocks was executed");
}

static void exitblock_end(void *state)
{
	struct exitblock *b = state;

	vtb_exit_blocks_fini(&b->blocks_of);
	vtb_chances_fini(&b->chances);
	vtb_lockset_fini(&b->lockset);
	vtb_schedule_fini(&b->base);
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
	*ret_state = b;
	return 0;
}

const struct vtb_strategy vtb_strategy_exitblock = {
	.name = "exitblock",
	.help =
	    "every order of atomic blocks, for programs that lock what they share; with --rw only orders that differ",
	.can = VTB_STRATEGY_STATES,
	.begin = exitblock_begin,
	.next = exitblock_next,
	.feedback = exitblock_feedback,
	.claim = exitblock_claim,
	.end = exitblock_end,
};
