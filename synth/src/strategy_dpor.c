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
 *      state 0 --e0--> state 1 --e1--> ...      levels[i]: state i and the operation chosen there
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/strategy.h"

/* A thread that sleeps at a state: what it would do was tried there. */
struct sleeper {
	struct vtb_event event;
};

struct level {
	struct vtb_event event;   /* chosen; kind 0: nothing yet */
	uint32_t chosen;          /* thread */
	uint32_t index;           /* operations that thread has done, this one included */
	uint32_t before;          /* level of that thread's operation before + 1; 0 none */
	bool ends;                /* the run failed with it: what the others would still do was not seen */
	struct sleeper *sleepers;
	size_t n_sleepers, cap_sleepers;
};

struct dpor {
	const struct vtb_space *space;
	struct vtb_mazurkiewicz *order;
	struct level *levels;
	size_t n_levels, cap_levels;
	size_t used_levels;       /* levels that were ever initialised: their arrays are kept */
	uint32_t stride;          /* words of a set of threads */
	uint64_t *enabled, *backtrack, *done; /* by level, `stride` words each */
	size_t room;              /* levels they have room for */
	uint32_t *clocks;         /* by level: operations of each thread that it depends on; 64 * stride entries */
	size_t next_level;        /* where the next schedule departs */
	bool started, exhausted;
	uint64_t blocked, diverged, runs;
	bool timed;               /* time passed in some run */
	uint64_t cut;             /* runs that were stopped: nothing is known about their rest */
};

/* ---- sets of threads */

static uint64_t *set_of(const struct dpor *d, uint64_t *sets, size_t level)
{
	return sets + level * d->stride;
}

static bool in_set(const uint64_t *set, uint32_t thread)
{
	return set[thread / 64] >> thread % 64 & 1;
}

static void add_to_set(uint64_t *set, uint32_t thread)
{
	set[thread / 64] |= 1ull << thread % 64;
}

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

/* ---- dependence */

static bool is_exit(const struct vtb_event *e)
{
	return e->kind == VTB_E_PROCESS_EXIT;
}

static bool touches_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

static bool dependent(const struct vtb_event *a, const struct vtb_event *b)
{
	if (is_exit(a) || is_exit(b))
		return true;
	if (vtb_event_conflict(a, b))
		return true;
	if (touches_mutex(a) && a->aux != VTB_NONE && (a->aux == b->var || (touches_mutex(b) && a->aux == b->aux)))
		return true;
	return touches_mutex(b) && b->aux != VTB_NONE && b->aux == a->var;
}

static bool gives_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_UNLOCK || e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_RWUNLOCK;
}

static bool must_wait_for_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_LOCK || e->kind == VTB_E_COND_WAKE || e->kind == VTB_E_WRLOCK;
}

/* False only if `a` cannot take place in any state in which `b` can: then the pair cannot be turned round. `a` is the earlier one. */
static bool may_be_coenabled(const struct vtb_event *a, const struct vtb_event *b)
{
	if (a->kind == VTB_E_COND_WAIT && must_wait_for_mutex(b))
		return a->aux == VTB_NONE || a->aux != (touches_mutex(b) ? b->aux : b->var); /* who waits held it until then */
	if (gives_mutex(a) && must_wait_for_mutex(b))
		return false;
	if (a->kind == VTB_E_THREAD_END && b->kind == VTB_E_THREAD_JOIN && a->var == b->var)
		return false;
	return !(a->kind == VTB_E_THREAD_CREATE && (b->kind == VTB_E_THREAD_BEGIN || b->kind == VTB_E_THREAD_END) && a->var == b->var);
}

/* ---- race analysis */

static const uint32_t *clock_of(const struct dpor *d, size_t level)
{
	return d->clocks + level * 64 * d->stride;
}

/* Does the operation of level i happen before the one of level j (which may be level + 1 == 0: none)? */
static bool happens_before(const struct dpor *d, size_t i, uint32_t j_plus_one)
{
	return j_plus_one && clock_of(d, j_plus_one - 1)[d->levels[i].chosen] >= d->levels[i].index;
}

/* Is there an operation after level i, not behind i's, not of q's own, that q's first one there (level j) depends on? Then q
 * does not begin what can go on without i's operation. */
static bool waits_for_another(const struct dpor *d, size_t i, size_t j)
{
	for (size_t k = i + 1; k < j; k++)
		if (!happens_before(d, i, (uint32_t)k + 1) && happens_before(d, k, (uint32_t)j + 1))
			return true;
	return false;
}

/* The same for `e`, if its thread does nothing between level i and e: its clock is not known, but what it depends on is. */
static bool first_waits(const struct dpor *d, size_t i, const struct vtb_event *e, size_t end)
{
	for (size_t k = i + 1; k < end; k++)
		if (!happens_before(d, i, (uint32_t)k + 1) && dependent(&d->levels[k].event, e))
			return true;
	return false;
}

/* q can be the first at state i of the operations that do not depend on the one of level i: 1 if it was or will be tried there, 0 if it
 * was not, -1 if it cannot go on there. */
static int standing(const struct dpor *d, size_t i, uint32_t q)
{
	if (!in_set(set_of(d, d->enabled, i), q))
		return -1;
	return in_set(set_of(d, d->backtrack, i), q);
}

/*
 * Turn the operation of level i and `e` round: at state i, what does not depend on i's operation goes first, then e. Any thread
 * that can begin that sequence will do, and one that is tried there anyway is enough; a thread that cannot begin it is not, since it may be
 * asleep there for another reason. False if e cannot come before i's operation: nobody can begin.
 */
static bool turn_round(struct dpor *d, size_t i, const struct vtb_event *e, uint32_t before, size_t end)
{
	uint32_t first = VTB_NONE;
	int can;

	for (size_t j = i + 1; j < end; j++) {
		const struct level *l = &d->levels[j];

		if (l->before > i || happens_before(d, i, (uint32_t)j + 1) || waits_for_another(d, i, j))
			continue;
		can = standing(d, i, l->chosen);
		if (can > 0)
			return true;
		if (can == 0 && (first == VTB_NONE || l->chosen == e->thread))
			first = l->chosen;
	}
	if (before <= i && !first_waits(d, i, e, end)) {
		can = standing(d, i, e->thread);
		if (can > 0)
			return true;
		if (can == 0)
			first = e->thread;
	}
	if (first != VTB_NONE)
		add_to_set(set_of(d, d->backtrack, i), first);
	return first != VTB_NONE;
}

/* Does level i come before one that was turned round with e already? Then turning that one is the way to this one. */
static bool behind_another(const struct dpor *d, size_t i, const size_t *turned, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (happens_before(d, i, (uint32_t)turned[k] + 1))
			return true;
	return false;
}

/* Could `e` take place where level i's operation did? A lock could if that operation took it: it was free. Of other operations that
 * may have to wait it is not known: what lies further back must be turned round as well. */
static bool could_go_there(const struct level *l, const struct vtb_event *e)
{
	const struct vtb_event *i = &l->event;
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (e->kind == VTB_E_LOCK && i->var == e->var)
		return i->kind == VTB_E_LOCK || (i->kind == VTB_E_TRYLOCK && i->value == 0);
	return info && !(info->flags & VTB_EV_BLOCKS);
}

#define TURNED_MAX 64u /* more are turned round without that check: needless runs, nothing missed */

/* Every operation before level `end` that can be turned round with `e`, whose thread's last operation is `before`. */
static void find_races(struct dpor *d, const struct vtb_event *e, uint32_t before, size_t end)
{
	size_t turned[TURNED_MAX], n = 0;

	for (size_t i = end; i-- > 0;) {
		const struct level *l = &d->levels[i];

		if (l->chosen == e->thread || !dependent(&l->event, e) || !may_be_coenabled(&l->event, e))
			continue;
		if (happens_before(d, i, before) || behind_another(d, i, turned, n))
			continue;
		if (turn_round(d, i, e, before, end) && could_go_there(l, e) && n < TURNED_MAX)
			turned[n++] = i;
	}
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
	memset(set_of(d, d->enabled, i), 0, d->stride * sizeof(uint64_t));
	memset(set_of(d, d->backtrack, i), 0, d->stride * sizeof(uint64_t));
	memset(set_of(d, d->done, i), 0, d->stride * sizeof(uint64_t));
	memcpy(set_of(d, d->enabled, i), row, stride * sizeof(uint64_t));
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

		if (e->thread == from->chosen || dependent(e, &from->event))
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
	add_to_set(set_of(d, d->backtrack, i), e->thread);
	add_to_set(set_of(d, d->done, i), e->thread);
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
	uint64_t *enabled = set_of(d, d->enabled, i);

	for (uint32_t t = 0; t < 64 * d->stride; t++)
		if (in_set(enabled, t) && !sleeps(&d->levels[i], t)) {
			add_to_set(set_of(d, d->backtrack, i), t);
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
			find_races(d, e, d->levels[i].before, i);
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
		find_races(d, &x->pending[k], before, d->n_levels);
	}
	d->cut += verdict == VTB_V_TIMEOUT || verdict == VTB_V_LIVELOCK;
	if (d->n_levels && !nobody_could_go_on(verdict)) {
		d->levels[d->n_levels - 1].ends = true;
		for (uint32_t word = 0; word < d->stride; word++)
			set_of(d, d->backtrack, d->n_levels - 1)[word] |= set_of(d, d->enabled, d->n_levels - 1)[word];
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

static int dpor_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dpor *d = state;
	const size_t kept = (size_t)ticket;
	int r = 0;

	(void)new_class;
	d->runs++;
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
		uint64_t left = set_of(d, d->backtrack, i)[word] & ~set_of(d, d->done, i)[word];

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
			add_to_set(set_of(d, d->done, d->n_levels - 1), t);
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

	*ret = (struct vtb_claim){ .exhausted = d->exhausted, .blocked = d->blocked };
	ret->complete = ret->unbounded = d->exhausted && !d->diverged && !d->cut && !d->timed;
	if (ret->complete)
		snprintf(ret->text, sizeof(ret->text), "every class of interleavings was executed (partial-order reduction)");
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
