/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dpor: dynamic partial-order reduction with sleep sets. At least one run of every class, no bound on preemptions.
 *
 * After a run, for each operation e of a thread p: every earlier operation i of another thread that is dependent on e, may be
 * enabled together with it, and happens before e by nothing in between: that pair can be turned round. So at the state before
 * i somebody must be tried who can begin what comes before e and does not depend on i (a source set). What was tried at a state
 * sleeps in its other branches until something dependent happens. Taking only the last such i, or p even where it cannot begin,
 * is right without sleep sets, but with them it loses classes.
 * Source: Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction", POPL 2014 (source sets);
 * Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005; sleep sets:
 * Godefroid, "Partial-order methods for the verification of concurrent systems", 1996.
 *
 * The end of a run. The process's exit is dependent on everything: who has come how far decides what is still seen.
 * Where a run fails, the others' operations are not seen, so all of them are tried before the one that failed.
 *
 * Time. A sleeper wakes when nobody else can go on: whether it can depends on everybody, which the relation above does not
 * know. A run in which time had to pass therefore takes the claim of completeness away.
 *
 * Only thread switches are explored. If anything else could have departed in some run (chances.h), the claim says what.
 *
 *      state 0 --e0--> state 1 --e1--> ...      levels[i]: state i and the operation chosen there
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"

/* ---- room */

static int resize(void **items, size_t old_bytes, size_t bytes)
{
	void *bigger = realloc(*items, bytes);

	if (!bigger)
		return -ENOMEM;
	memset((char *)bigger + old_bytes, 0, bytes - old_bytes);
	*items = bigger;
	return 0;
}

static int room_for_levels(struct dpor *d, size_t n)
{
	const size_t room = n + n / 2 + 16, words = d->stride * sizeof(uint64_t), clock = 64ull * d->stride * sizeof(uint32_t);
	void *enabled = d->enabled, *backtrack = d->backtrack, *done = d->done, *clocks = d->clocks;
	int r;

	if (n <= d->room)
		return 0;
	r = resize(&enabled, d->room * words, room * words);
	d->enabled = enabled;
	if (r >= 0)
		r = resize(&backtrack, d->room * words, room * words);
	d->backtrack = backtrack;
	if (r >= 0)
		r = resize(&done, d->room * words, room * words);
	d->done = done;
	if (r >= 0)
		r = resize(&clocks, d->room * clock, room * clock);
	d->clocks = clocks;
	if (r >= 0)
		d->room = room;
	return r;
}

/* A wider set of threads: move what there is apart. Rare: a run has shown more than 64 threads. */
static int widen_sets(uint64_t **sets, size_t room, uint32_t from, uint32_t to)
{
	uint64_t *wider = calloc(room * to + 1, sizeof(*wider));

	if (!wider)
		return -ENOMEM;
	for (size_t i = 0; i < room; i++)
		memcpy(wider + i * to, *sets + i * from, from * sizeof(*wider));
	free(*sets);
	*sets = wider;
	return 0;
}

static int widen(struct dpor *d, uint32_t stride)
{
	int r = 0;

	if (d->room) {
		r = widen_sets(&d->enabled, d->room, d->stride, stride);
		if (r >= 0)
			r = widen_sets(&d->backtrack, d->room, d->stride, stride);
		if (r >= 0)
			r = widen_sets(&d->done, d->room, d->stride, stride);
		free(d->clocks); /* of the run being read: not there yet */
		d->clocks = r < 0 ? NULL : calloc(d->room * 64 * stride, sizeof(*d->clocks));
		r = r >= 0 && !d->clocks ? -ENOMEM : r;
	}
	d->stride = stride;
	return r;
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

static int open_level(struct dpor *d, const uint64_t *row, uint32_t stride)
{
	const size_t i = d->n_levels;
	int r = room_for_levels(d, i + 1);

	if (r >= 0)
		r = vtb_array_room(d, levels);
	if (r < 0)
		return r;
	if (i >= d->used_levels) {
		d->levels[i] = (struct level){ 0 };
		d->used_levels = i + 1;
	}
	d->levels[i].event = (struct vtb_event){ 0 };
	d->levels[i].chosen = VTB_NONE;
	d->levels[i].ends = false;
	d->levels[i].n_sleepers = 0;
	memset(vtb_dpor_set(d, d->enabled, i), 0, d->stride * sizeof(uint64_t));
	memset(vtb_dpor_set(d, d->backtrack, i), 0, d->stride * sizeof(uint64_t));
	memset(vtb_dpor_set(d, d->done, i), 0, d->stride * sizeof(uint64_t));
	memcpy(vtb_dpor_set(d, d->enabled, i), row, stride * sizeof(uint64_t));
	d->n_levels++;
	return 0;
}

static bool sleeps(const struct level *l, uint32_t thread)
{
	for (size_t i = 0; i < l->n_sleepers; i++)
		if (l->sleepers[i].event.thread == thread)
			return true;
	return false;
}

/* Who slept at the level before, and was not woken by its operation, sleeps here. */
static int inherit_sleep(struct dpor *d, size_t i)
{
	struct level *l = &d->levels[i];
	const struct level *from = i ? &d->levels[i - 1] : NULL;

	for (size_t k = 0; from && k < from->n_sleepers; k++) {
		const struct vtb_event *e = &from->sleepers[k].event;

		if (e->thread == from->chosen || vtb_dpor_dependent(e, &from->event))
			continue;
		if (vtb_array_room(l, sleepers) < 0)
			return -ENOMEM;
		l->sleepers[l->n_sleepers++] = from->sleepers[k];
	}
	return 0;
}

static void choose_at(struct dpor *d, size_t i, const struct vtb_event *e)
{
	struct level *l = &d->levels[i];

	l->event = *e;
	l->chosen = e->thread;
	l->before = 0;
	for (size_t j = i; j-- > 0 && !l->before;)
		if (d->levels[j].chosen == e->thread)
			l->before = (uint32_t)j + 1;
	l->index = l->before ? d->levels[l->before - 1].index + 1 : 1;
	vtb_dpor_add(vtb_dpor_set(d, d->backtrack, i), e->thread);
	vtb_dpor_add(vtb_dpor_set(d, d->done, i), e->thread);
}

static int feed_clock(struct dpor *d, size_t i)
{
	uint32_t len, *clock = d->clocks + i * 64 * d->stride;
	const uint32_t *known;
	int r = vtb_mazurkiewicz_feed(d->order, &d->levels[i].event, NULL);

	if (r < 0)
		return r;
	known = vtb_mazurkiewicz_clock(d->order, d->levels[i].chosen, &len);
	memset(clock, 0, 64ull * d->stride * sizeof(*clock));
	memcpy(clock, known, (len < 64 * d->stride ? len : 64 * d->stride) * sizeof(*clock));
	return 0;
}

/* Everybody asleep: what follows was seen in another order. Else somebody who is awake must be tried instead. */
static void cut_short(struct dpor *d, size_t i)
{
	uint64_t *enabled = vtb_dpor_set(d, d->enabled, i);

	for (uint32_t t = 0; t < 64 * d->stride; t++)
		if (vtb_dpor_in_set(enabled, t) && !sleeps(&d->levels[i], t)) {
			vtb_dpor_add(vtb_dpor_set(d, d->backtrack, i), t);
			return;
		}
	d->blocked++;
}

/* Append the run's operations after those that are known. 1 if it was cut short by sleepers. */
static int append(struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	size_t seen = 0;
	int r = 0;

	for (size_t k = 0; k < x->n_events; k++) {
		const struct vtb_event *e = &x->events[k];
		const size_t i = seen;

		if (!is_operation(e))
			continue;
		seen++;
		d->timed |= by_time(e);
		if (i >= kept) {
			r = open_level(d, x->enabled + k * x->stride, x->stride);
			if (r >= 0)
				r = inherit_sleep(d, i);
			if (r < 0)
				return r;
			if (sleeps(&d->levels[i], e->thread)) {
				cut_short(d, i);
				return 1;
			}
		}
		if (i + 1 >= kept) /* the operation at which it departs is new as well */
			choose_at(d, i, e);
		r = feed_clock(d, i);
		if (r < 0)
			return r;
		if (i + 1 >= kept)
			vtb_dpor_find_races(d, e, d->levels[i].before, i);
	}
	return 0;
}

static bool nobody_could_go_on(enum vtb_verdict verdict)
{
	return verdict == VTB_V_NONE || verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

/* What threads were about to do when the run ended: those operations can be turned round with earlier ones, too. */
static void end_of_run(struct dpor *d, const struct vtb_exec *x)
{
	const enum vtb_verdict verdict = x->outcome.verdict;

	for (size_t k = 0; k < x->n_pending; k++) {
		uint32_t before = 0;

		for (size_t j = d->n_levels; j-- > 0 && !before;)
			if (d->levels[j].chosen == x->pending[k].thread)
				before = (uint32_t)j + 1;
		vtb_dpor_find_races(d, &x->pending[k], before, d->n_levels);
	}
	d->cut += verdict == VTB_V_TIMEOUT || verdict == VTB_V_LIVELOCK;
	if (d->n_levels && !nobody_could_go_on(verdict)) {
		d->levels[d->n_levels - 1].ends = true;
		for (uint32_t word = 0; word < d->stride; word++)
			vtb_dpor_set(d, d->backtrack, d->n_levels - 1)[word] |= vtb_dpor_set(d, d->enabled, d->n_levels - 1)[word];
	}
}

/* Did the program do again what it did before, up to the point where this run departs? */
static bool followed(const struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	size_t i = 0;

	for (size_t k = 0; k < x->n_events && i < kept; k++)
		if (is_operation(&x->events[k])) {
			if (x->events[k].thread != d->levels[i].chosen)
				return false;
			i++;
		}
	return i == kept;
}

#define EVENTS_MAX 5000u /* of one run; longer ones are left to the other strategies */

static int dpor_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dpor *d = state;
	const size_t kept = (size_t)ticket;
	int r = 0;

	(void)new_class;
	d->runs++;
	if (x->n_events > EVENTS_MAX) { /* races are looked for among all pairs */
		d->exhausted = true;
		d->cut++;
		return 0;
	}
	d->possible |= vtb_chances_possible(&d->chances, x);
	if (x->stride > d->stride)
		r = widen(d, x->stride);
	if (r < 0)
		return r;
	if (!followed(d, x, kept)) {
		d->diverged++;
		return 0;
	}
	vtb_mazurkiewicz_begin(d->order);
	r = append(d, x, kept);
	if (r == 0)
		end_of_run(d, x);
	return r < 0 ? r : 0;
}

/* ---- proposing */

/* What was tried at a level sleeps in what is tried there next. */
static int put_to_sleep(struct level *l)
{
	if (l->ends) { /* nothing was seen after it: it must not keep anybody from being seen */
		l->ends = false;
		l->event.kind = 0;
	}
	if (!l->event.kind)
		return 0;
	if (vtb_array_room(l, sleepers) < 0)
		return -ENOMEM;
	l->sleepers[l->n_sleepers++].event = l->event;
	l->event.kind = 0;
	return 0;
}

/* A thread to try at level i, or VTB_NONE. */
static uint32_t left_to_try(const struct dpor *d, size_t i)
{
	for (uint32_t word = 0; word < d->stride; word++) {
		uint64_t left = vtb_dpor_set(d, d->backtrack, i)[word] & ~vtb_dpor_set(d, d->done, i)[word];

		for (; left; left &= left - 1) {
			const uint32_t t = word * 64 + (uint32_t)__builtin_ctzll(left);

			if (!sleeps(&d->levels[i], t))
				return t;
		}
	}
	return VTB_NONE;
}

static int build(const struct dpor *d, struct vtb_schedule *s)
{
	int r = 0;

	s->policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	for (size_t i = 1; r >= 0 && i < d->n_levels; i++) {
		const struct level *p = &d->levels[i - 1];

		if (p->chosen != d->levels[i].chosen)
			r = vtb_schedule_deviate(s, p->chosen, p->index, VTB_DEV_SWITCH, d->levels[i].chosen, p->event.var, 0);
	}
	return r;
}

/* Depth first: the deepest level that has something left. */
static int64_t depart(struct dpor *d, struct vtb_plan *plan)
{
	while (d->n_levels) {
		struct level *l = &d->levels[d->n_levels - 1];
		uint32_t t;
		int r = put_to_sleep(l);

		if (r < 0)
			return r;
		t = left_to_try(d, d->n_levels - 1);
		if (t != VTB_NONE) {
			vtb_dpor_add(vtb_dpor_set(d, d->done, d->n_levels - 1), t);
			l->chosen = t;
			plan->ticket = d->n_levels;
			r = build(d, &plan->schedule);
			return r < 0 ? r : 1;
		}
		d->n_levels--;
	}
	d->exhausted = true;
	return 0;
}

static int64_t dpor_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct dpor *d = state;

	(void)max; /* one at a time: what to try next depends on what this one shows */
	if (d->exhausted)
		return 0;
	if (!d->started) {
		d->started = true;
		plans[0].schedule.policy = VTB_SCHEDULE_RUN_TO_BLOCK;
		return 1;
	}
	return depart(d, &plans[0]);
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

static void dpor_end(void *state)
{
	struct dpor *d = state;

	for (size_t i = 0; i < d->used_levels; i++)
		free(d->levels[i].sleepers);
	vtb_mazurkiewicz_free(d->order);
	vtb_chances_fini(&d->chances);
	free(d->levels);
	free(d->enabled);
	free(d->backtrack);
	free(d->done);
	free(d->clocks);
	free(d);
}

static int dpor_begin(const struct vtb_space *space, void **ret_state)
{
	struct dpor *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	d->space = space;
	d->stride = 1;
	r = vtb_mazurkiewicz_new(space->tab, &d->order);
	if (r < 0) {
		dpor_end(d);
		return r;
	}
	*ret_state = d;
	return 0;
}

const struct vtb_strategy vtb_strategy_dpor = {
	.name = "dpor",
	.help = "partial-order reduction with sleep sets: every class of interleavings, without a bound on preemptions",
	.begin = dpor_begin,
	.next = dpor_next,
	.feedback = dpor_feedback,
	.claim = dpor_claim,
	.end = dpor_end,
};
