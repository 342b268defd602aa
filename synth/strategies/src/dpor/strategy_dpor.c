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
 * Memory: one run of every part (dpor_parts.c; about 120 bytes an operation and 4 for each thread; one part if runs
 * are long), and the sequences, bounded by the option. When it is full no sequence is kept any more, and everybody who
 * is awake is tried at every state: sleep sets alone. That misses nothing, but more runs are blocked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpor.h"
#include "vtb/array.h"
#include "vtb/coverage.h"

static int dpor_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct dpor_all *all = ((struct dpor *)state)->all;
	struct dpor *d = all->parts[ticket % DPOR_PARTS];
	int r = 0;

	(void)new_class;
	if (all->composer)
		r = vtb_composer_learn(all->composer, x);
	return r < 0 || ticket / DPOR_PARTS != all->era ? r : vtb_dpor_read_run(d, d->n_levels, x);
}

/* ---- proposing */

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
	for (; r >= 0 && node != DPOR_NONE; node = d->all->nodes[node].child)
		r = go_on_with(&o, s, &d->all->nodes[node].op);
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

bool vtb_dpor_find_asleep(struct dpor *d, uint32_t level)
{
	uint32_t *asleep = d->pending_clock;
	bool any = false;

	memset(asleep, 0, d->width * sizeof(*asleep));
	for (size_t k = 0; k < d->n_sleepers && d->sleepers[k].from <= level; k++)
		if (level < d->sleepers[k].woken)
			asleep[d->sleepers[k].op.event.thread] = any = 1;
	return any;
}

static int build(struct dpor *d, struct vtb_schedule *s)
{
	int r = build_order(d, s, d->n_levels, d->path);

	s->policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	return r >= 0 && vtb_dpor_find_asleep(d, (uint32_t)d->n_levels - 1) ? build_ranks(d, s, d->pending_clock) : r;
}

#define IN_A_ROW_MAX (1u << 18) /* then one is made all the same: somebody may want to know the time */

/* Runs that need not be made are read at once; there is one part then. */
static int put_together(struct dpor *d)
{
	int r = 1;

	while (r > 0 && d->all->n_ready && d->all->in_a_row++ < IN_A_ROW_MAX) {
		r = vtb_dpor_put_together(d);
		if (r > 0) {
			d->all->n_ready = 0;
			r = vtb_dpor_begin_round(d->all);
			r = r < 0 ? r : 1;
		}
	}
	d->all->in_a_row = 0;
	return r;
}

#define MUCH_TOLD 2048u /* operations of a run, from which on sparse ones are told less (decision 120) */

/* May its next run be the first that is? Where a thread gives way in it is another place then. */
static bool may_tell_less(const struct dpor *d)
{
	return vtb_dpor_passes_over(d) && d->space->coverage->points >= MUCH_TOLD;
}

/* What of the round was not asked for yet. */
static int64_t propose(struct dpor_all *all, struct vtb_plan *plans, size_t max)
{
	size_t n = 0;

	for (uint32_t i = 0; i < all->n_parts && n < max; i++) {
		struct dpor *d = all->parts[i];
		int r;

		if (d->state != DPOR_READY)
			continue;
		plans[n].ticket = all->era * DPOR_PARTS + i;
		plans[n].loose = d->doubtful || all->spun_open || vtb_dpor_hides(d) || may_tell_less(d);
		plans[n].apart = all->told.now;
		plans[n].schedule.sparse = vtb_dpor_passes_over(d);
		r = build(d, &plans[n++].schedule);
		if (r < 0)
			return r;
		d->state = DPOR_ASKED;
		all->n_ready--;
	}
	return (int64_t)n;
}

static int64_t propose_first(struct dpor *whole, struct vtb_plan *plan)
{
	whole->all->started = true;
	whole->state = DPOR_ASKED;
	plan->ticket = whole->all->era * DPOR_PARTS;
	plan->apart = whole->all->told.seen;
	plan->schedule.policy = VTB_SCHEDULE_RUN_TO_BLOCK;
	plan->schedule.sparse = vtb_dpor_passes_over(whole);
	return 1;
}

static int64_t dpor_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct dpor *whole = state;
	int r = 0;

	if (whole->all->started && !whole->all->exhausted && !whole->all->n_ready)
		r = vtb_dpor_begin_round(whole->all);
	if (r >= 0 && whole->all->started && whole->all->composer)
		r = put_together(whole);
	if (r >= 0 && !whole->all->started)
		return propose_first(whole, plans);
	return r < 0 ? r : propose(whole->all, plans, max);
}

static int dpor_begin(const struct vtb_space *space, void **ret_state)
{
	struct dpor *d;
	int r = vtb_dpor_new(space, &d);

	if (r < 0)
		return r;
	if (space->opts->equivalence == VTB_EQUIVALENCE_READS)
		r = vtb_composer_new(&d->all->composer);
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
	.can = VTB_STRATEGY_READS_FROM | VTB_STRATEGY_PREDICATE | VTB_STRATEGY_ALL | VTB_STRATEGY_AHEAD,
	.begin = dpor_begin,
	.next = dpor_next,
	.feedback = dpor_feedback,
	.claim = vtb_dpor_claim,
	.end = dpor_end,
};
