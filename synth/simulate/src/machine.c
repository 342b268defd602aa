/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine_deadlock.h"
#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

void vtb_machine_scratch_fini(struct vtb_machine_scratch *d)
{
	free(d->threads);
	free(d->fragments);
	free(d->deviations);
	free(d->constraints);
	free(d->walkers);
	free(d->totals);
	free(d->waiting);
	*d = (struct vtb_machine_scratch){ 0 };
}

uint32_t vtb_machine_done(const struct vtb_machine_scratch *d, uint32_t thread)
{
	return d->threads[thread].done;
}

/* ---- one point */

/* Is the next operation of `thread` kept back by a constraint? */
static bool kept_back(const struct run *run, uint32_t thread)
{
	struct vtb_machine_scratch *d = run->d;
	struct vtb_machine_thread *t = &d->threads[thread];

	while (t->constraint < t->constraints_end &&
	       run->s->constraints[d->constraints[t->constraint]].after.index <= t->done)
		t->constraint++;
	for (uint32_t i = t->constraint; i < t->constraints_end; i++) {
		const struct vtb_constraint *c = &run->s->constraints[d->constraints[i]];

		if (c->after.index > t->done + 1)
			break;
		if (c->before.thread < d->n_threads && d->threads[c->before.thread].done < c->before.index)
			return true;
	}
	return false;
}

static bool can_go_on(const struct run *run, uint32_t thread)
{
	const struct vtb_machine *m = run->m;
	const struct vtb_sync_op *op;

	if (m->sync.threads[thread].life != VTB_SYNC_ALIVE)
		return false;
	op = m->ops->pending(m, thread);
	return op && vtb_sync_enabled(&m->sync, thread, op) && !kept_back(run, thread);
}

static int add_row(struct run *run, uint64_t **ret_row)
{
	struct vtb_exec *x = run->x;
	void *items = x->enabled;
	const size_t want = x->n_enabled + x->stride;
	int r = want > x->cap_enabled ? vtb_array_reserve(&items, &x->cap_enabled, want, sizeof(*x->enabled)) : 0;

	if (r < 0)
		return r;
	x->enabled = items;
	memset(x->enabled + x->n_enabled, 0, x->stride * sizeof(*x->enabled));
	*ret_row = x->enabled + x->n_enabled;
	return 0;
}

/* The row of threads that can be chosen now; returns how many. It becomes part of the run when n_enabled grows. */
static int64_t fill_row(struct run *run, uint64_t **ret_row)
{
	int64_t n = 0;
	int r = add_row(run, ret_row);

	if (r < 0)
		return r;
	for (uint32_t t = 0; t < run->d->n_threads; t++)
		if (can_go_on(run, t)) {
			(*ret_row)[t / 64] |= 1ull << t % 64;
			n++;
		}
	return n;
}

static bool in_row(const uint64_t *row, uint32_t thread)
{
	return row[thread / 64] >> thread % 64 & 1;
}

/* Lower runs first: ranked threads, then the others in order of creation, then those demoted below everything. */
static uint64_t standing(const struct run *run, uint32_t thread)
{
	const struct vtb_machine_thread *t = &run->d->threads[thread];

	if (t->demoted)
		return (2ull << 32) + t->demoted;
	return t->rank != VTB_NONE ? t->rank : (1ull << 32) + run->m->sync.threads[thread].birth;
}

static uint32_t best_ranked(const struct run *run, const uint64_t *row)
{
	uint32_t best = VTB_NONE;

	for (uint32_t t = 0; t < run->d->n_threads; t++)
		if (in_row(row, t) && (best == VTB_NONE || standing(run, t) < standing(run, best)))
			best = t;
	return best;
}

static uint32_t nth_of_row(const uint64_t *row, uint64_t n)
{
	uint32_t t = 0;

	for (;; t++)
		if (in_row(row, t) && n-- == 0)
			return t;
}

static uint32_t choose(struct run *run, const uint64_t *row, uint64_t n)
{
	if (run->forced != VTB_NONE) {
		if (run->forced < run->d->n_threads && in_row(row, run->forced))
			return run->forced;
		run->d->missed++;
	}
	if (run->s->policy == VTB_SCHEDULE_RANDOM)
		return nth_of_row(row, vtb_rng_below(&run->d->rng, n));
	if (run->s->policy == VTB_SCHEDULE_POS || run->s->policy == VTB_SCHEDULE_SURW)
		return vtb_machine_walk(run->d, run->m, run->s, row);
	if (run->s->policy == VTB_SCHEDULE_RUN_TO_BLOCK && run->running != VTB_NONE && in_row(row, run->running))
		return run->running;
	return best_ranked(run, row);
}

static void demote(struct run *run, uint32_t thread)
{
	struct vtb_machine_scratch *d = run->d;
	const uint32_t n = d->demotions++;

	d->threads[thread].rank = n < d->n_fragments ? d->fragments[n] : VTB_NONE;
	d->threads[thread].demoted = d->threads[thread].rank == VTB_NONE ? n + 1 : 0;
}

/* Time or chance lets a thread go on that waits. False: it does not, or the machine has no such deviations. */
static bool wake_by_chance(struct run *run, const struct vtb_deviation *dev)
{
	struct vtb_machine *m = run->m;
	const struct vtb_sync_op *op =
	    dev->target < run->d->n_threads && m->sync.threads[dev->target].life == VTB_SYNC_ALIVE
	        ? m->ops->pending(m, dev->target)
	        : NULL;

	if (!(m->kinds >> dev->kind & 1) || !op || can_go_on(run, dev->target))
		return false;
	if (dev->kind == VTB_DEV_TIMEOUT && vtb_sync_waits_for_time(&m->sync, dev->target, op))
		vtb_sync_time_out(&m->sync, dev->target, op);
	else if (dev->kind == VTB_DEV_SPURIOUS && op->kind == VTB_E_COND_WAKE)
		m->sync.threads[dev->target].woken = true;
	if (!can_go_on(run, dev->target))
		return false;
	run->forced = dev->target;
	run->d->forced_kind = (uint8_t)dev->kind;
	return true;
}

/* Looked for when the operation takes place, not at the point before. */
static bool at_operation(const struct vtb_deviation *dev)
{
	return dev->kind == VTB_DEV_WAITER || dev->kind == VTB_DEV_CAS_FAIL;
}

/* The deviation that changes how the next operation of `thread` comes out, or NULL. */
static const struct vtb_deviation *changed_outcome(struct run *run, uint32_t thread)
{
	struct vtb_machine_scratch *d = run->d;
	struct vtb_machine_thread *t = &d->threads[thread];
	const struct vtb_deviation *dev =
	    t->deviation < t->deviations_end ? &run->s->deviations[d->deviations[t->deviation]] : NULL;

	if (!dev || !at_operation(dev) || dev->after.index != t->done)
		return NULL;
	t->deviation++;
	d->passed++;
	return dev;
}

/* Deviations named after the operation that `thread` has just done. */
static void deviate(struct run *run, uint32_t thread)
{
	struct vtb_machine_scratch *d = run->d;
	struct vtb_machine_thread *t = &d->threads[thread];

	for (; t->deviation < t->deviations_end; t->deviation++) {
		const struct vtb_deviation *dev = &run->s->deviations[d->deviations[t->deviation]];

		if (dev->after.index > t->done || (dev->after.index == t->done && at_operation(dev)))
			return;
		d->passed++;
		if (dev->after.index < t->done)
			d->missed++;
		else if (dev->kind == VTB_DEV_SWITCH)
			run->forced = dev->target;
		else if (dev->kind == VTB_DEV_DEMOTE)
			demote(run, thread);
		else if (!wake_by_chance(run, dev))
			d->missed++;
	}
}

/* ---- one run */

static const struct vtb_outcome nothing = {
	.thread = VTB_NONE, .site = VTB_NONE, .var = VTB_NONE, .message = "", .signature = ""
};

static void mark(struct vtb_event *e, unsigned kind, uint32_t place)
{
	e->flags |= VTB_EVF_DEVIATED;
	e->deviation = (uint8_t)kind;
	e->place = (uint16_t)place;
}

/* The operation takes place, perhaps otherwise than by default. */
static void apply(struct run *run, uint32_t thread, struct vtb_event *e)
{
	struct vtb_machine *m = run->m;
	const struct vtb_sync_op *op = m->ops->pending(m, thread);
	const struct vtb_deviation *dev = changed_outcome(run, thread);
	bool other = dev && m->kinds >> dev->kind & 1;
	uint64_t value;

	if (other && dev->kind == VTB_DEV_WAITER &&
	    (op->kind != VTB_E_COND_SIGNAL || dev->target == 0 ||
	     dev->target >= vtb_sync_waiters(&m->sync, op->object)))
		other = false;
	if (other && dev->kind == VTB_DEV_WAITER)
		m->sync.place = dev->target;
	m->fails = other && dev->kind == VTB_DEV_CAS_FAIL;
	value = vtb_sync_apply(&m->sync, thread, op);
	m->ops->step(m, thread, value, e);
	if (dev && dev->kind == VTB_DEV_CAS_FAIL)
		other = m->fails;
	if (other)
		mark(e, dev->kind, dev->kind == VTB_DEV_WAITER ? dev->target : 0);
	run->d->missed += dev && !other;
	if (run->d->forced_kind && thread == run->forced)
		mark(e, run->d->forced_kind, 0);
	run->d->forced_kind = 0;
}

static int add_wait(struct run *run, uint32_t thread, uint8_t kind, bool armed)
{
	struct vtb_exec *x = run->x;

	if (vtb_array_room(x, waits) < 0)
		return -ENOMEM;
	x->waits[x->n_waits++] =
	    (struct vtb_wait){ .row = (uint32_t)x->n_events, .thread = (uint16_t)thread, .kind = kind, .armed = armed };
	run->d->waiting[thread / 64] ^= 1ull << thread % 64;
	return 0;
}

/* Who waits in a way that time or chance may end, from this row on. */
static int tell_waits(struct run *run)
{
	const struct vtb_machine *m = run->m;
	int r = 0;

	for (uint32_t t = 0; m->kinds && r >= 0 && t < run->d->n_threads; t++) {
		const struct vtb_sync_op *op = m->sync.threads[t].life == VTB_SYNC_ALIVE ? m->ops->pending(m, t) : NULL;
		const bool open = run->d->waiting[t / 64] >> t % 64 & 1, goes = op && vtb_sync_enabled(&m->sync, t, op);
		const bool armed = op && (op->timed || op->kind == VTB_E_SLEEP);

		if (open && (goes || !op))
			r = add_wait(run, t, 0, op && m->sync.threads[t].late && run->late_row == run->x->n_events);
		else if (!open && op && !goes && (armed || op->kind == VTB_E_COND_WAKE))
			r = add_wait(run, t, op->kind, armed);
	}
	return r;
}

static int take_step(struct run *run, uint32_t thread)
{
	struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;
	struct vtb_event *e;

	if (vtb_array_room(x, events) < 0 || tell_waits(run) < 0)
		return -ENOMEM;
	e = &x->events[x->n_events++];
	x->n_enabled += x->stride;
	*e = (struct vtb_event){ .thread = (uint16_t)thread, .var = VTB_NONE, .site = VTB_NONE };
	m->ops->describe(m, thread, e);
	apply(run, thread, e);
	run->d->threads[thread].done++;
	run->running = thread;
	run->forced = VTB_NONE;
	deviate(run, thread);
	return 0;
}

static int add_failure(struct run *run)
{
	struct vtb_exec *x = run->x;
	struct vtb_outcome *o = &run->m->outcome;
	uint64_t *row;
	int64_t n = fill_row(run, &row);

	if (n < 0)
		return (int)n;
	if (vtb_array_room(x, events) < 0 || tell_waits(run) < 0)
		return -ENOMEM;
	x->n_enabled += x->stride;
	x->events[x->n_events++] = (struct vtb_event){
		.thread = (uint16_t)(o->thread == VTB_NONE ? 0 : o->thread),
		.kind = VTB_E_FAIL,
		.var = o->var,
		.site = o->site,
		.aux = o->verdict,
	};
	return 0;
}

static int add_pending(struct run *run)
{
	struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;

	for (uint32_t t = 0; t < run->d->n_threads; t++) {
		if (m->sync.threads[t].life != VTB_SYNC_ALIVE || !m->ops->pending(m, t))
			continue;
		if (vtb_array_room(x, pending) < 0)
			return -ENOMEM;
		x->pending[x->n_pending] =
		    (struct vtb_event){ .thread = (uint16_t)t, .var = VTB_NONE, .site = VTB_NONE };
		m->ops->describe(m, t, &x->pending[x->n_pending++]);
	}
	return 0;
}

/* Nobody can go on. True if letting time pass changes that: the earliest sleeper wakes. */
static bool pass_time(struct run *run)
{
	struct vtb_machine *m = run->m;
	uint32_t first = VTB_NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t t = 0; t < run->d->n_threads; t++) {
		const struct vtb_sync_op *op = m->sync.threads[t].life == VTB_SYNC_ALIVE ? m->ops->pending(m, t) : NULL;

		if (op && !kept_back(run, t) && vtb_sync_waits_for_time(&m->sync, t, op) && op->arg < least) {
			first = t;
			least = op->arg;
		}
	}
	if (first == VTB_NONE)
		return false;
	vtb_sync_time_out(&m->sync, first, m->ops->pending(m, first));
	return true;
}

/* Nobody can go on, now or later: a constraint in the way, everybody done, or a deadlock. */
static int end_stuck(struct run *run)
{
	struct vtb_machine *m = run->m;
	bool alive = false;
	int r;

	for (uint32_t t = 0; t < run->d->n_threads; t++) {
		const struct vtb_sync_op *op = m->sync.threads[t].life == VTB_SYNC_ALIVE ? m->ops->pending(m, t) : NULL;

		if (op && vtb_sync_enabled(&m->sync, t, op)) {
			m->outcome.verdict = VTB_V_INFEASIBLE;
			return 0;
		}
		alive |= op != NULL;
	}
	if (!alive)
		return 0;
	r = vtb_deadlock_classify(m);
	if (m->cut && m->outcome.verdict != VTB_V_DEADLOCK)
		m->outcome = nothing;
	return r;
}

/* The state in which the next operation is chosen, once all deviations are made. */
static int tell_state(struct run *run)
{
	const struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;
	struct vtb_hash128 h = { 0, 0 };

	if (!run->d->states || !m->ops->state || run->d->passed < run->d->n_deviations ||
	    (x->n_states && x->states[x->n_states - 1].row == x->n_events))
		return 0; /* also: time has passed since */
	if (vtb_array_room(x, states) < 0)
		return -ENOMEM;
	vtb_sync_state(&m->sync, &h);
	m->ops->state(m, &h);
	x->states[x->n_states++] = (struct vtb_exec_state){ .lo = h.lo, .hi = h.hi, .row = (uint32_t)x->n_events };
	return 0;
}

static int run_on(struct run *run)
{
	const uint64_t max = run->m->max_points ? run->m->max_points : VTB_MACHINE_POINTS;

	while (!run->m->ended && run->m->outcome.verdict == VTB_V_NONE) {
		uint64_t *row;
		int64_t n = fill_row(run, &row);
		int r;

		if (n < 0)
			return (int)n;
		r = tell_state(run);
		if (r < 0)
			return r;
		if (n == 0) {
			run->late_row = run->x->n_events;
			if (tell_waits(run) < 0) /* chance comes before time does */
				return -ENOMEM;
			if (pass_time(run))
				continue;
			return end_stuck(run);
		}
		if (run->x->n_events >= max) {
			run->m->outcome.verdict = VTB_V_LIVELOCK;
			break;
		}
		r = take_step(run, choose(run, row, (uint64_t)n));
		if (r < 0)
			return r;
	}
	return 0;
}

static int start(struct run *run)
{
	struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;

	m->ended = false;
	m->outcome = nothing;
	m->ops->reset(m);
	x->n_events = x->n_enabled = x->n_pending = x->n_states = x->n_waits = 0;
	x->kinds = m->kinds;
	x->stride = (m->sync.n_threads + 63) / 64;
	return vtb_machine_prepare(run);
}

static void finish(struct run *run)
{
	struct vtb_machine_scratch *d = run->d;
	struct vtb_outcome *o = &run->x->outcome;

	for (size_t t = 0; t < d->n_threads; t++)
		if (d->threads[t].deviation < d->threads[t].deviations_end)
			d->missed += d->threads[t].deviations_end - d->threads[t].deviation;
	*o = run->m->outcome;
	o->points = run->x->n_events;
	if (d->missed)
		o->flags |= VTB_OUT_DIVERGED;
}

int vtb_machine_run(struct vtb_machine_scratch *d, struct vtb_machine *m, const struct vtb_schedule *s,
                    struct vtb_exec *x)
{
	struct run run = {
		.d = d, .m = m, .s = s, .x = x, .running = VTB_NONE, .forced = VTB_NONE, .late_row = SIZE_MAX
	};
	int r = start(&run);

	if (r < 0)
		return r;
	if (m->sync.n_threads)
		deviate(&run, 0); /* the point before main's first operation */
	r = run_on(&run);
	if (r >= 0 && m->outcome.verdict != VTB_V_NONE && m->outcome.verdict != VTB_V_INFEASIBLE)
		r = add_failure(&run);
	if (r >= 0)
		r = add_pending(&run);
	finish(&run);
	return r;
}
