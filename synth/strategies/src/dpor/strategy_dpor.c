/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dpor: optimal dynamic partial-order reduction with sleep sets and wakeup trees. One complete run of every class, no
 * bound on preemptions. With reads-from equivalence, runs of which everything is known are put together instead of made
 * (dpor_compose.h).
 *
 * After a run: for each operation e, every earlier operation i of another thread that depends on e, where e could take
 * place, and that happens before e by nothing in between that could be turned round instead (dpor_order.c). At the
 * state before i, all that the run did beside i goes first, then e. The sequence is planned unless it is included in
 * what is planned or was tried (dpor_tree.c). All of the run counts, not what came before e: so races found before are
 * looked at again whenever something else goes on beside i. What was tried at a state sleeps in its other branches
 * until something dependent happens. A run follows its sequence and then lets those that are awake go first; if only
 * sleepers can go on it is given up and counted as blocked. Two complete runs of one class are never made. Sources:
 * [SOURCE17], [DPOR05]; sleep sets: [SLEEP96]. See docs/algorithms.md, "Partial-order reduction", and decision 47.
 *
 * Doubt. A tree may leave out a sequence because a branch leads to the same only if it is known how that branch comes
 * out. Whether an operation can take place (dpor_objects.c), whether a compare-exchange succeeds, and whether a run
 * fails is not known at another place. Such sequences are kept whole, beside the tree, and are left out only for what
 * was really tried. If the last operation turns out to be impossible, that run was in vain.
 *
 * The end of a run. The process's exit depends on everything: who has come how far decides what is still seen. So does
 * an operation with which a run fails.
 *
 * Time. A sleeper wakes when nobody else can go on: whether it can depends on everybody, which the relation above does
 * not know. A run in which time had to pass therefore takes the claim of completeness away.
 *
 * Only thread switches are explored. If anything else could have departed in some run (chances.h), the claim says what.
 * If more classes were seen, by whoever proposed the runs, than were tried here, the claim is withdrawn.
 *
 * Memory: one run (about 120 bytes an operation and 4 for each thread), and the sequences, bounded by the option. When
 * it is full no sequence is kept any more, and everybody who is awake is tried at every state: sleep sets alone. That
 * misses nothing, but more runs are blocked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"
#include "vtb/coverage.h"

#define AHEAD_TICKET (UINT64_C(1) << 40) /* and more: number of the run made before its turn */

static int dpor_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dpor *d = state;

	(void)new_class;
	if (d->composer) {
		const int r = vtb_composer_learn(d->composer, x);

		if (r < 0)
			return r;
	}
	if (ticket < AHEAD_TICKET)
		return vtb_dpor_read_run(d, (size_t)ticket, x);
	return d->ahead[ticket - AHEAD_TICKET].used ? vtb_exec_copy(x, &d->ahead[ticket - AHEAD_TICKET].x) : 0;
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
	d->sleepers[d->n_sleepers++] =
	    (struct dpor_sleeper){ .op = l->op, .from = (uint32_t)d->n_levels - 1, .woken = DPOR_NONE };
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
	return last->thread == thread
	           ? 0
	           : vtb_schedule_deviate(s, last->thread, index, VTB_DEV_SWITCH, thread, last->var, 0);
}

struct order {
	uint32_t *done;               /* by thread: operations */
	const struct vtb_event *last; /* or NULL */
};

static int go_on_with(struct order *o, struct vtb_schedule *s, const struct dpor_op *op)
{
	const struct vtb_event *e = &op->event;
	const int r = o->last ? switch_to(s, o->last, o->done[o->last->thread], e->thread) : 0;

	o->done[e->thread] += op->span ? op->span : 1;
	o->last = e;
	return r;
}

/* The first `n` levels, then the sequence. d->pending_clock counts each thread's operations. */
static int build_order(struct dpor *d, struct vtb_schedule *s, size_t n, uint32_t node)
{
	struct order o = { .done = d->pending_clock };
	int r = 0;

	memset(o.done, 0, d->width * sizeof(*o.done));
	if (n)
		o.done[d->levels[0].op.event.thread] = d->lead;
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = go_on_with(&o, s, &d->levels[i].op);
	for (; r >= 0 && node != DPOR_NONE; node = d->nodes[node].child)
		r = go_on_with(&o, s, &d->nodes[node].op);
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

bool vtb_dpor_find_asleep(struct dpor *d, uint32_t level, bool also)
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
	return r >= 0 && vtb_dpor_find_asleep(d, level, also) ? build_ranks(d, s, d->pending_clock) : r;
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

/* The first of what is left at each level above: nothing that is learnt below changes how it will go, or who sleeps
 * then. */
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
		plans[n].loose = d->spun_open || vtb_dpor_predicate(d);
		plans[n++].ticket = AHEAD_TICKET + (uint64_t)(ahead - d->ahead);
	}
	return (int64_t)n;
}

/* ---- runs that need not be made */

/* Then one is made all the same: somebody may be waiting for us to ask for the time. */
#define IN_A_ROW_MAX (1u << 18)

/* ---- the next branch */

/* Memory was full: everybody who can go on and does not sleep, one after the other. */
static int plan_somebody(struct dpor *d)
{
	const uint32_t level = (uint32_t)d->n_levels - 1;
	struct dpor_level *l = &d->levels[level];

	for (; d->full && l->asked < d->width; l->asked++)
		if (dpor_enabled(d, level, l->asked) && d->live[l->asked] == DPOR_NONE)
			return vtb_dpor_plan_thread(d, level, l->asked++);
	return 0;
}

/* What is to be tried at the last level: from its tree, or else what is doubtful. DPOR_NONE: nothing is left. */
static uint32_t next_at_level(struct dpor *d, int *ret)
{
	struct dpor_level *l = &d->levels[d->n_levels - 1];
	uint32_t node;

	d->doubtful = false;
	if (l->tree == DPOR_NONE && l->doubts == DPOR_NONE && !d->full)
		return DPOR_NONE;
	go_back(d);
	if (l->tree == DPOR_NONE) {
		node = vtb_dpor_next_doubt(d, (uint32_t)d->n_levels - 1);
		d->doubtful = node != DPOR_NONE;
		if (d->doubtful)
			return node;
		*ret = plan_somebody(d);
	}
	node = *ret < 0 ? DPOR_NONE : l->tree;
	if (node != DPOR_NONE)
		l->tree = d->nodes[node].next;
	return node;
}

/* Depth first: the deepest level that has something left. Its node, or DPOR_NONE; `ret` is an error. */
static uint32_t depart(struct dpor *d, int *ret)
{
	while (d->n_levels) {
		struct dpor_level *l = &d->levels[d->n_levels - 1];
		uint32_t node;

		if (l->op.event.kind && l->seen)
			d->last[l->op.event.thread] = l->before;
		*ret = put_to_sleep(d);
		node = *ret < 0 ? DPOR_NONE : next_at_level(d, ret);
		if (*ret < 0)
			return DPOR_NONE;
		if (node != DPOR_NONE) {
			l->op = d->nodes[node].op;
			d->path = d->nodes[node].child;
			return node;
		}
		d->n_levels--;
	}
	d->exhausted = true;
	return DPOR_NONE;
}

/* Branches whose runs were made already are read at once; the first that was not is proposed, and others ahead of their
 * turn. */
static int64_t propose(struct dpor *d, struct vtb_plan *plans, size_t max)
{
	for (;;) {
		int r = 0;
		const uint32_t node = d->again ? DPOR_NONE : depart(d, &r);
		struct dpor_ahead *ahead = node == DPOR_NONE ? NULL : find_ahead(d, (uint32_t)d->n_levels - 1, node);
		int64_t more;

		if (r < 0 || (node == DPOR_NONE && !d->again))
			return r;
		if (node != DPOR_NONE)
			vtb_dpor_free_node(d, node);
		if (ahead) {
			ahead->used = false;
			r = vtb_dpor_read_run(d, d->n_levels, &ahead->x);
			vtb_exec_fini(&ahead->x);
			if (r < 0)
				return r;
			continue;
		}
		if (d->composer && d->in_a_row++ < IN_A_ROW_MAX) {
			r = vtb_dpor_put_together(d);
			if (r < 0)
				return r;
			if (r)
				continue;
		}
		d->in_a_row = 0;
		plans[0].ticket = d->n_levels;
		plans[0].loose = d->doubtful || d->spun_open || vtb_dpor_predicate(d);
		r = build(d, &plans[0].schedule, d->n_levels, d->path, (uint32_t)d->n_levels - 1, false);
		if (r < 0)
			return r;
		if (d->composer) /* what is learnt from this run may spare others */
			return 1;
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

static int dpor_begin(const struct vtb_space *space, void **ret_state)
{
	struct dpor *d;
	int r = vtb_dpor_new(space, &d);

	if (r < 0)
		return r;
	if (vtb_search_by_reads(space->opts))
		r = vtb_composer_new(&d->composer);
	if (r < 0)
		vtb_dpor_free(d);
	else
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
	.can = VTB_STRATEGY_READS_FROM | VTB_STRATEGY_PREDICATE,
	.begin = dpor_begin,
	.next = dpor_next,
	.feedback = dpor_feedback,
	.claim = vtb_dpor_claim,
	.end = dpor_end,
};
