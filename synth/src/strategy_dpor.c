/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dpor: dynamic partial-order reduction with sleep sets and wakeup trees. One complete run of every class, no bound on preemptions.
 *
 * After a run, for each operation e: every earlier operation i of another thread that depends on e, may be enabled together
 * with it, and happens before e by nothing in between that could be turned round instead. So at the state before i, what does not depend
 * on i goes first, then e (dpor_order.c finds such races, dpor_tree.c plans the sequence unless it is included in what
 * is planned or was tried). What was tried at a state sleeps in its other branches until something dependent happens. A
 * run follows its sequence and then lets those that are awake go first; if only sleepers can go on it is given up: it
 * is counted as blocked. Two complete runs of one class are never made.
 * Sources: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for optimal dynamic partial order reduction",
 * JACM 2017; Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005; sleep sets:
 * Godefroid, "Partial-order methods for the verification of concurrent systems", 1996.
 *
 * Locks. An unlock and the lock after it cannot be turned round; the two locks can. Whether an operation that may have to wait
 * could go first is known where its thread stood at it already, and for locks; else what leads to it is tried.
 *
 * The end of a run. The process's exit depends on everything: who has come how far decides what is still seen. So does
 * an operation with which a run fails.
 *
 * Time. A sleeper wakes when nobody else can go on: whether it can depends on everybody, which the relation above does not
 * know. A run in which time had to pass therefore takes the claim of completeness away.
 *
 * Only thread switches are explored. If anything else could have departed in some run (chances.h), the claim says what.
 *
 * Memory: one run (about 100 bytes an operation and 4 for each thread), and the trees, bounded by the option: beyond it
 * only the first operation of a sequence is kept. That misses nothing, but there may be more blocked runs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"
#include "dpor.h"
#include "vtb/array.h"

/* ---- room */

static int resize(uint32_t **items, size_t n, size_t more, uint32_t value)
{
	uint32_t *bigger = realloc(*items, more * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	for (size_t i = n; i < more; i++)
		bigger[i] = value;
	*items = bigger;
	return 0;
}

static int room_for_levels(struct dpor *d, size_t n)
{
	const size_t room = n + n / 2 + 16;
	uint64_t *enabled;

	if (n <= d->room)
		return 0;
	enabled = realloc(d->enabled, room * d->stride * sizeof(*enabled));
	if (!enabled)
		return -ENOMEM;
	d->enabled = enabled;
	if (resize(&d->clocks, room * d->width, room * d->width, 0) < 0)
		return -ENOMEM;
	d->room = room;
	return 0;
}

/* More threads than before: rows and clocks get longer. */
static int widen_rows(struct dpor *d, uint32_t stride)
{
	uint64_t *rows = calloc(d->room * stride + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_levels; i++)
		memcpy(rows + i * stride, d->enabled + i * d->stride, d->stride * sizeof(*rows));
	free(d->enabled);
	d->enabled = rows;
	d->stride = stride;
	return 0;
}

static int widen_clocks(struct dpor *d, uint32_t thread)
{
	const uint32_t width = (thread / 8 + 1) * 8;
	uint32_t *clocks = calloc(d->room * width + 1, sizeof(*clocks));

	if (!clocks)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_levels && d->width; i++)
		memcpy(clocks + i * width, d->clocks + i * d->width, d->width * sizeof(*clocks));
	free(d->clocks);
	d->clocks = clocks;
	if (resize(&d->last, d->width, width, 0) < 0 || resize(&d->live, d->width, width, DPOR_NONE) < 0 || resize(&d->pending_clock, 0, width, 0) < 0)
		return -ENOMEM;
	d->width = width;
	return 0;
}

static int room_for_run(struct dpor *d, const struct vtb_exec *x)
{
	uint32_t highest = 0;
	int r = 0;

	for (size_t k = 0; k < x->n_events; k++)
		highest = x->events[k].thread > highest ? x->events[k].thread : highest;
	for (size_t k = 0; k < x->n_pending; k++)
		highest = x->pending[k].thread > highest ? x->pending[k].thread : highest;
	if (x->stride > d->stride)
		r = widen_rows(d, x->stride);
	if (r >= 0 && highest >= d->width)
		r = widen_clocks(d, highest);
	return r < 0 ? r : room_for_levels(d, x->n_events);
}

/* ---- reading a run */

/* Did this take place because time passed? */
static bool by_time(const struct vtb_event *e)
{
	if (e->kind == VTB_E_SLEEP)
		return true;
	return (e->kind == VTB_E_COND_WAKE || e->kind == VTB_E_TIMEDLOCK || e->kind == VTB_E_SEM_WAIT || e->kind == VTB_E_FUTEX_WOKEN) && e->value == ETIMEDOUT;
}

static bool is_operation(const struct vtb_event *e)
{
	return e->kind != VTB_E_LOST && e->kind != VTB_E_FAIL;
}

/* A run that went on until nobody could: nothing that others would still have done is missing. */
static bool nobody_could_go_on(enum vtb_verdict verdict)
{
	return verdict == VTB_V_NONE || verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

static size_t last_operation(const struct vtb_exec *x)
{
	size_t k = x->n_events;

	while (k > 0 && !is_operation(&x->events[k - 1]))
		k--;
	return k;
}

/* The operation of level i is done: who sleeps and depends on it wakes. */
static void wake(struct dpor *d, size_t i)
{
	const struct dpor_op *op = &d->levels[i].op;

	for (uint32_t t = 0; t < d->width; t++)
		if (d->live[t] != DPOR_NONE && t != op->event.thread && vtb_dpor_dependent(&d->sleepers[d->live[t]].op, op)) {
			d->sleepers[d->live[t]].woken = (uint32_t)i + 1;
			d->live[t] = DPOR_NONE;
		}
}

/* Sleepers take part in what comes next. Everybody asleep: what follows was seen in another order. Else somebody who is awake, of whom nothing
 * was known yet, is tried instead. */
static int cut_short(struct dpor *d, const struct vtb_exec *x, size_t k)
{
	const size_t i = d->n_levels - 1;

	d->blocked++;
	for (uint32_t t = 0; t < 64 * x->stride; t++)
		if (vtb_exec_enabled(x, k, t) && (t >= d->width || d->live[t] == DPOR_NONE))
			return vtb_dpor_plan_thread(d, i, t);
	return 0;
}

static int open_level(struct dpor *d, const struct vtb_exec *x, size_t k)
{
	const size_t i = d->n_levels;

	if (vtb_array_room(d, levels) < 0)
		return -ENOMEM;
	d->levels[i] = (struct dpor_level){ .tree = DPOR_NONE };
	memset(d->enabled + i * d->stride, 0, d->stride * sizeof(*d->enabled));
	memcpy(d->enabled + i * d->stride, x->enabled + k * x->stride, x->stride * sizeof(*x->enabled));
	d->n_levels++;
	if (d->path != DPOR_NONE) { /* the sequence goes on: its other branches are for later */
		const uint32_t node = d->path;

		d->levels[i].tree = d->nodes[node].next;
		d->path = d->nodes[node].child;
		vtb_dpor_free_node(d, node);
	}
	return 0;
}

static int fill_level(struct dpor *d, size_t i, const struct vtb_event *e, bool world)
{
	struct dpor_level *l = &d->levels[i];
	int r;

	l->op = (struct dpor_op){ .event = *e, .world = world };
	l->before = d->last[e->thread];
	l->index = l->before ? d->levels[l->before - 1].index + 1 : 1;
	l->seen = true;
	r = vtb_dpor_order(d, i);
	d->last[e->thread] = (uint32_t)i + 1;
	wake(d, i);
	return r;
}

/* The run's operations from level `kept` - 1 on, where it departs, are new. 1 if it was cut short by sleepers. */
static int append(struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	const size_t end = last_operation(x);
	size_t i = 0;
	int r = 0;

	for (size_t k = 0; r >= 0 && k < end; k++) {
		const struct vtb_event *e = &x->events[k];

		if (!is_operation(e))
			continue;
		d->symbolic |= (e->flags & VTB_EVF_ADDR_SYMBOLIC) != 0;
		if (i >= kept)
			r = open_level(d, x, k);
		if (r >= 0 && i >= kept && d->live[e->thread] != DPOR_NONE)
			return cut_short(d, x, k) < 0 ? -ENOMEM : 1;
		if (r >= 0 && i + 1 >= kept) {
			d->timed |= by_time(e);
			r = fill_level(d, i, e, k + 1 == end && !nobody_could_go_on(x->outcome.verdict));
		}
		i++;
	}
	return r;
}

/* ---- races */

/* The thread that ended the run has no next operation. */
static uint32_t who_ended(const struct dpor *d)
{
	const struct dpor_op *last = d->n_levels ? &d->levels[d->n_levels - 1].op : NULL;

	return last && (last->world || last->event.kind == VTB_E_PROCESS_EXIT) ? last->event.thread : VTB_NONE;
}

static int find_pending_races(struct dpor *d, const struct vtb_exec *x)
{
	const uint32_t ended = who_ended(d);
	int r = 0;

	for (size_t k = 0; r >= 0 && k < x->n_pending; k++)
		if (x->pending[k].thread != ended)
			r = vtb_dpor_order_pending(d, &(struct dpor_op){ .event = x->pending[k] }, k);
	return r;
}

static int turn_round(struct dpor *d, const struct vtb_exec *x)
{
	int r = 0;

	for (size_t k = 0; r >= 0 && k < d->n_races; k++) {
		const struct dpor_race race = d->races[k];

		if (race.second < d->n_levels) {
			const struct dpor_op second = d->levels[race.second].op;

			r = vtb_dpor_turn_round(d, &race, &second, d->levels[race.second].before);
		} else {
			const struct dpor_op second = { .event = x->pending[race.second - d->n_levels] };

			r = vtb_dpor_turn_round(d, &race, &second, d->last[second.event.thread]);
		}
	}
	return r;
}

/* Did the program do again what it did before, and follow the sequence from there? */
static bool followed(const struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	uint32_t node = d->path;
	size_t i = 0;

	for (size_t k = 0; k < x->n_events && (i < kept || node != DPOR_NONE); k++) {
		if (!is_operation(&x->events[k]))
			continue;
		if (x->events[k].thread != (i < kept ? d->levels[i].op.event.thread : d->nodes[node].op.event.thread))
			return false;
		if (i++ >= kept)
			node = d->nodes[node].child;
	}
	return i >= kept && node == DPOR_NONE;
}

/* What is left of a sequence that was not followed: given up, with its branches. */
static void drop_tree(struct dpor *d, uint32_t node)
{
	while (node != DPOR_NONE) {
		const uint32_t next = d->nodes[node].next;

		drop_tree(d, d->nodes[node].child);
		vtb_dpor_free_node(d, node);
		node = next;
	}
}

static bool may_have_chances(const struct vtb_exec *x, size_t from)
{
	if (x->n_waits)
		return true;
	for (size_t k = from; k < x->n_events; k++)
		if (x->events[k].kind == VTB_E_COND_SIGNAL || x->events[k].kind == VTB_E_COND_WAIT || x->events[k].flags & VTB_EVF_WEAK)
			return true;
	return false;
}

#define AHEAD_TICKET (UINT64_C(1) << 40) /* and more: number of the run made before its turn */

/* A run that departs at level `kept` - 1. */
static int read_run(struct dpor *d, size_t kept, const struct vtb_exec *x)
{
	int r = room_for_run(d, x);

	d->runs++;
	if (r < 0)
		return r;
	if (x->kinds && may_have_chances(x, 0))
		d->possible |= vtb_chances_possible(&d->chances, x);
	if (!followed(d, x, kept)) {
		d->diverged++;
		drop_tree(d, d->path);
		d->path = DPOR_NONE;
		return 0;
	}
	d->n_races = 0;
	r = append(d, x, kept);
	if (r == 0) {
		d->cut += x->outcome.verdict == VTB_V_TIMEOUT || x->outcome.verdict == VTB_V_LIVELOCK;
		r = find_pending_races(d, x);
	}
	return r < 0 ? r : turn_round(d, x);
}

static int dpor_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dpor *d = state;

	(void)new_class;
	return ticket >= AHEAD_TICKET ? vtb_exec_copy(x, &d->ahead[ticket - AHEAD_TICKET].x) : read_run(d, (size_t)ticket, x);
}

/* ---- one run by itself */

int vtb_dpor_read(struct dpor *d, const struct vtb_exec *x)
{
	int r;

	while (d->n_levels)
		drop_tree(d, d->levels[--d->n_levels].tree);
	vtb_dpor_forget(d, 0);
	for (uint32_t t = 0; t < d->width; t++)
		d->last[t] = 0;
	d->n_races = 0;
	r = room_for_run(d, x);
	if (r >= 0)
		r = append(d, x, 0);
	if (r >= 0)
		r = find_pending_races(d, x);
	return r < 0 ? r : turn_round(d, x);
}

enum dpor_wish vtb_dpor_wish(const struct dpor *d, size_t level, uint32_t thread)
{
	for (uint32_t k = level < d->n_levels ? d->levels[level].tree : DPOR_NONE; k != DPOR_NONE; k = d->nodes[k].next)
		if (d->nodes[k].op.event.thread == thread)
			return d->nodes[k].cautious ? DPOR_CAUTIOUS_WISH : DPOR_WISH;
	return DPOR_NO_WISH;
}

/* ---- proposing */

/* What was tried at the last level sleeps from now on in what is tried there next. */
static int put_to_sleep(struct dpor *d)
{
	struct dpor_level *l = &d->levels[d->n_levels - 1];

	while (d->n_sleepers && d->sleepers[d->n_sleepers - 1].from >= d->n_levels) /* of levels that are done with */
		d->n_sleepers--;
	if (!l->seen)
		return 0;
	l->seen = false;
	if (vtb_array_room(d, sleepers) < 0)
		return -ENOMEM;
	d->sleepers[d->n_sleepers++] = (struct dpor_sleeper){ .op = l->op, .from = (uint32_t)d->n_levels - 1, .woken = DPOR_NONE };
	return 0;
}

/* Undo what operations from the last level on did to the sleepers and histories. */
static void go_back(struct dpor *d)
{
	const uint32_t level = (uint32_t)d->n_levels - 1;

	for (uint32_t t = 0; t < d->width; t++)
		d->live[t] = DPOR_NONE;
	for (size_t k = 0; k < d->n_sleepers; k++) {
		struct dpor_sleeper *s = &d->sleepers[k];

		if (s->woken != DPOR_NONE && s->woken > level)
			s->woken = DPOR_NONE;
		if (s->woken == DPOR_NONE)
			d->live[s->op.event.thread] = (uint32_t)k;
	}
	vtb_dpor_forget(d, level);
}

static int switch_to(struct vtb_schedule *s, const struct vtb_event *last, uint32_t index, uint32_t thread)
{
	return last->thread == thread ? 0 : vtb_schedule_deviate(s, last->thread, index, VTB_DEV_SWITCH, thread, last->var, 0);
}

struct order {
	uint32_t *done;                /* by thread: operations */
	const struct vtb_event *last;  /* or NULL */
};

static int go_on_with(struct order *o, struct vtb_schedule *s, const struct vtb_event *e)
{
	const int r = o->last ? switch_to(s, o->last, o->done[o->last->thread], e->thread) : 0;

	o->done[e->thread]++;
	o->last = e;
	return r;
}

/* The first `n` levels, then the sequence. d->pending_clock counts each thread's operations. */
static int build_order(struct dpor *d, struct vtb_schedule *s, size_t n, uint32_t node)
{
	struct order o = { .done = d->pending_clock };
	int r = 0;

	memset(o.done, 0, d->width * sizeof(*o.done));
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = go_on_with(&o, s, &d->levels[i].op.event);
	for (; r >= 0 && node != DPOR_NONE; node = d->nodes[node].child)
		r = go_on_with(&o, s, &d->nodes[node].op.event);
	return r;
}

static int add_rank(struct vtb_schedule *s, uint32_t thread)
{
	if (vtb_array_room(s, ranks) < 0)
		return -ENOMEM;
	s->ranks[s->n_ranks++] = thread;
	return 0;
}

/* Those who sleep (flags by thread) go last: then whoever goes on while they sleep is awake, as long as anybody is. */
static int build_ranks(const struct dpor *d, struct vtb_schedule *s, const uint32_t *asleep)
{
	int r = 0;

	for (uint32_t late = 0; late < 2; late++)
		for (uint32_t t = 0; r >= 0 && t < d->space->coverage->n_threads && t < d->width; t++)
			if (asleep[t] == late)
				r = add_rank(s, t);
	return r;
}

/* d->pending_clock becomes: who sleeps at the level. `also`: what is done there now will have been tried. */
static bool find_asleep(struct dpor *d, uint32_t level, bool also)
{
	uint32_t *asleep = d->pending_clock;
	bool any = also;

	memset(asleep, 0, d->width * sizeof(*asleep));
	for (size_t k = 0; k < d->n_sleepers && d->sleepers[k].from <= level; k++)
		if (level < d->sleepers[k].woken)
			asleep[d->sleepers[k].op.event.thread] = any = 1;
	if (also)
		asleep[d->levels[level].op.event.thread] = 1;
	return any;
}

static int build(struct dpor *d, struct vtb_schedule *s, size_t n, uint32_t node, uint32_t level, bool also)
{
	int r = build_order(d, s, n, node);

	s->policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	return r >= 0 && find_asleep(d, level, also) ? build_ranks(d, s, d->pending_clock) : r;
}

/* ---- runs before their turn */

static struct dpor_ahead *find_ahead(struct dpor *d, uint32_t level, uint32_t node)
{
	for (uint32_t k = 0; k < DPOR_AHEAD; k++)
		if (d->ahead[k].used && d->ahead[k].level == level && d->ahead[k].node == node)
			return &d->ahead[k];
	return NULL;
}

static struct dpor_ahead *free_ahead(struct dpor *d)
{
	for (uint32_t k = 0; k < DPOR_AHEAD; k++)
		if (!d->ahead[k].used)
			return &d->ahead[k];
	return NULL;
}

#define AHEAD_EVENTS 4096u /* longer runs are not kept until their turn */

/* The first of what is left at each level above: nothing that is learnt below changes how it will go, or who sleeps then. */
static int64_t plan_ahead(struct dpor *d, struct vtb_plan *plans, size_t max)
{
	size_t n = 0;

	for (uint32_t i = (uint32_t)d->n_levels - 1; i-- > 0 && n < max && d->n_levels < AHEAD_EVENTS;) {
		const uint32_t node = d->levels[i].tree;
		struct dpor_ahead *ahead;
		int r;

		if (node == DPOR_NONE || find_ahead(d, i, node))
			continue;
		ahead = free_ahead(d);
		if (!ahead)
			break;
		r = build(d, &plans[n].schedule, i, node, i, true);
		if (r < 0)
			return r;
		ahead->level = i;
		ahead->node = node;
		ahead->used = true;
		plans[n++].ticket = AHEAD_TICKET + (uint64_t)(ahead - d->ahead);
	}
	return (int64_t)n;
}

/* ---- the next branch */

/* Depth first: the deepest level that has something left. Its node, or DPOR_NONE; `ret` is an error. */
static uint32_t depart(struct dpor *d, int *ret)
{
	while (d->n_levels) {
		struct dpor_level *l = &d->levels[d->n_levels - 1];
		const uint32_t node = l->tree;

		if (l->op.event.kind && l->seen)
			d->last[l->op.event.thread] = l->before;
		*ret = put_to_sleep(d);
		if (*ret < 0)
			return DPOR_NONE;
		if (node != DPOR_NONE) {
			go_back(d);
			l->op = d->nodes[node].op;
			l->tree = d->nodes[node].next;
			d->path = d->nodes[node].child;
			return node;
		}
		d->n_levels--;
	}
	d->exhausted = true;
	return DPOR_NONE;
}

/* Branches whose runs were made already are read at once; the first that was not is proposed, and others ahead of their turn. */
static int64_t propose(struct dpor *d, struct vtb_plan *plans, size_t max)
{
	for (;;) {
		int r = 0;
		const uint32_t node = depart(d, &r);
		struct dpor_ahead *ahead = node == DPOR_NONE ? NULL : find_ahead(d, (uint32_t)d->n_levels - 1, node);
		int64_t more;

		if (r < 0 || node == DPOR_NONE)
			return r;
		vtb_dpor_free_node(d, node);
		if (ahead) {
			ahead->used = false;
			r = read_run(d, d->n_levels, &ahead->x);
			vtb_exec_fini(&ahead->x);
			if (r < 0)
				return r;
			continue;
		}
		plans[0].ticket = d->n_levels;
		r = build(d, &plans[0].schedule, d->n_levels, d->path, (uint32_t)d->n_levels - 1, false);
		if (r < 0)
			return r;
		more = plan_ahead(d, plans + 1, max - 1);
		return more < 0 ? more : 1 + more;
	}
}

static int64_t dpor_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct dpor *d = state;

	if (d->exhausted)
		return 0;
	if (!d->started) {
		d->started = true;
		plans[0].schedule.policy = VTB_SCHEDULE_RUN_TO_BLOCK;
		return 1;
	}
	return propose(d, plans, max);
}

static void dpor_claim(const void *state, struct vtb_claim *ret)
{
	const struct dpor *d = state;
	const bool all = d->exhausted && !d->diverged && !d->cut && !d->timed;
	char words[160];

	*ret = (struct vtb_claim){ .exhausted = d->exhausted, .blocked = d->blocked, .unexplored = d->possible };
	ret->complete = ret->unbounded = all && !d->possible;
	if (ret->complete)
		snprintf(ret->text, sizeof(ret->text), "every class of interleavings was executed (partial-order reduction)");
	else if (all)
		snprintf(ret->text, sizeof(ret->text), "every class of interleavings was executed (partial-order reduction), but without %s", vtb_chances_words(d->possible, words, sizeof(words)));
	else if (d->exhausted && d->timed)
		snprintf(ret->text, sizeof(ret->text), "partial-order reduction came to its end, but time passed in some runs");
	else
		snprintf(ret->text, sizeof(ret->text), "partial-order reduction did not come to its end");
}

void vtb_dpor_free(struct dpor *d)
{
	if (!d)
		return;
	for (uint32_t k = 0; k < DPOR_AHEAD; k++)
		vtb_exec_fini(&d->ahead[k].x);
	vtb_dpor_order_fini(d);
	vtb_chances_fini(&d->chances);
	free(d->levels);
	free(d->enabled);
	free(d->clocks);
	free(d->pending_clock);
	free(d->last);
	free(d->live);
	free(d->nodes);
	free(d->sleepers);
	free(d->sequence);
	free(d);
}

int vtb_dpor_new(const struct vtb_space *space, struct dpor **ret)
{
	struct dpor *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->space = space;
	d->stride = 1;
	d->path = d->free_nodes = DPOR_NONE;
	d->max_nodes = space->opts->memory / sizeof(struct dpor_node);
	d->max_nodes = d->max_nodes < DPOR_NONE / 2 ? d->max_nodes : DPOR_NONE / 2;
	*ret = d;
	return 0;
}

static int dpor_begin(const struct vtb_space *space, void **ret_state)
{
	struct dpor *d;
	int r = vtb_dpor_new(space, &d);

	if (r >= 0)
		*ret_state = d;
	return r;
}

static void dpor_end(void *state)
{
	vtb_dpor_free(state);
}

const struct vtb_strategy vtb_strategy_dpor = {
	.name = "dpor",
	.help = "partial-order reduction: every class of interleavings once, without a bound on preemptions",
	.begin = dpor_begin,
	.next = dpor_next,
	.feedback = dpor_feedback,
	.claim = dpor_claim,
	.end = dpor_end,
};
