/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "machine_deadlock.h"
#include "vtb/array.h"
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

	if (!(m->kinds >> dev->kind & 1) || !op || machine_can_go_on(run, dev->target))
		return false;
	if (dev->kind == VTB_DEV_TIMEOUT && vtb_sync_waits_for_time(&m->sync, dev->target, op))
		vtb_sync_time_out(&m->sync, dev->target, op);
	else if (dev->kind == VTB_DEV_SPURIOUS && op->kind == VTB_E_COND_WAKE)
		m->sync.threads[dev->target].woken = true;
	if (!machine_can_go_on(run, dev->target))
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

static int take_step(struct run *run, uint32_t thread)
{
	struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;
	struct vtb_event *e;

	if (vtb_array_room(x, events) < 0 || machine_tell_waits(run) < 0)
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
	int64_t n = machine_fill_row(run, &row);

	if (n < 0)
		return (int)n;
	if (vtb_array_room(x, events) < 0 || machine_tell_waits(run) < 0)
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

/* Nobody can go on. True if letting time pass changes that: the earliest sleeper wakes. */
static bool pass_time(struct run *run)
{
	struct vtb_machine *m = run->m;
	uint32_t first = VTB_NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t t = 0; t < run->d->n_threads; t++) {
		const struct vtb_sync_op *op = m->sync.threads[t].life == VTB_SYNC_ALIVE ? m->ops->pending(m, t) : NULL;

		if (op && !machine_kept_back(run, t) && vtb_sync_waits_for_time(&m->sync, t, op) && op->arg < least) {
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

static int run_on(struct run *run)
{
	const uint64_t max = run->m->max_points ? run->m->max_points : VTB_MACHINE_POINTS;

	while (!run->m->ended && run->m->outcome.verdict == VTB_V_NONE) {
		uint64_t *row;
		int64_t n = machine_fill_row(run, &row);
		int r;

		if (n < 0)
			return (int)n;
		r = machine_tell_state(run);
		if (r < 0)
			return r;
		if (n == 0) {
			run->late_row = run->x->n_events;
			if (machine_tell_waits(run) < 0) /* chance comes before time does */
				return -ENOMEM;
			if (pass_time(run))
				continue;
			return end_stuck(run);
		}
		if (run->x->n_events >= max) {
			run->m->outcome.verdict = VTB_V_LIVELOCK;
			break;
		}
		r = take_step(run, machine_choose(run, row, (uint64_t)n));
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
		r = machine_tell_pending(&run);
	finish(&run);
	return r;
}
