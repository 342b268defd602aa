/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which operations of a run are shown to the search, and whether a run followed its plan. With predicate dependence
 * (vtb/predicate.h) what cannot matter to a failure is hidden: it is no level, depends on nothing, and happens together
 * with the shown operation of its thread before. A thread is switched away from where its next shown operation is about
 * to happen, so that it is known of each whether it could.
 *
 *     thread 1   shown  hidden hidden   shown  ...        span of the first: 3
 *     thread 2                                 shown      a switch behind operation 3 of thread 1
 *
 * Whoever makes runs may hide accesses, too, to what only one thread touches (decision 51): these are not told. Where a
 * run tells more or less than those before it, all begins again.
 *
 * Schedules count all operations, hidden ones too, and how many of these a thread does may be another number in another
 * order. Then the run *drifts*: a switch comes too early or too late. The order of what is shown follows from what is
 * shown alone, so the same plan is tried again, with as many operations as there were; up to the place where it drifted
 * it is exact from then on. Where that does not come to an end nothing is hidden any more.
 */
#include <errno.h>
#include <string.h>

#include "dpor.h"
#include "vtb/wire.h"
#include "vtb/array.h"
#include "vtb/predicate.h"
#include "vtb/stop.h"

struct vtb_predicate *vtb_dpor_predicate(const struct dpor *d)
{
	struct vtb_predicate *p = d->alone ? NULL : d->space->opts->predicate;

	return vtb_predicate_awake(p) ? p : NULL;
}

bool vtb_dpor_hides(const struct dpor *d)
{
	return d->all->told.now || vtb_dpor_predicate(d);
}

/* ---- what is shown */

static int add_shown(struct dpor *d, uint32_t event)
{
	if (vtb_array_room(d, shown) < 0)
		return -ENOMEM;
	d->shown[d->n_shown++] = (struct dpor_shown){ .event = event, .span = 1, .whole = true };
	return 0;
}

/* n operations, behind that of row `before`. d->pending_clock: by thread, its last operation that is shown, + 1. */
static void add_hidden(struct dpor *d, const struct vtb_exec *x, uint32_t thread, uint32_t n, uint32_t before)
{
	const uint32_t last = d->pending_clock[thread];

	if (!last) {
		d->lead += n;
		return;
	}
	d->shown[last - 1].span += n;
	d->shown[last - 1].whole &= x->events[before].thread == thread;
}

/* Row `event`, behind that of row `before`. */
static int add_row(struct dpor *d, const struct vtb_exec *x, uint32_t event, bool hidden, uint32_t before)
{
	const struct vtb_event *e = &x->events[event];

	if (e->kind == VTB_E_OWNED || hidden) {
		add_hidden(d, x, e->thread, e->kind == VTB_E_OWNED ? (uint32_t)e->value : 1, before);
		return 0;
	}
	d->pending_clock[e->thread] = (uint32_t)d->n_shown + 1;
	return add_shown(d, event);
}

/* The operation with which the run failed is shown whatever it is: others may go on before it. Or n_events. */
static size_t failed_with(const struct vtb_exec *x)
{
	size_t k = x->n_events;

	if (vtb_dpor_nobody_could_go_on(&x->outcome))
		return k;
	while (k-- > 0)
		if (vtb_event_is_operation(&x->events[k]))
			return k;
	return x->n_events;
}

/* Who stands at what is hidden was left before it stood at its next operation that is shown. */
static void find_left(struct dpor *d, const struct vtb_exec *x, size_t failed)
{
	for (size_t k = 0; vtb_dpor_predicate(d) && k < x->n_pending; k++) {
		const uint32_t thread = x->pending[k].thread, last = d->pending_clock[thread];

		if (last && (failed == x->n_events || thread != x->events[failed].thread))
			d->shown[last - 1].left = vtb_predicate_hides_next(vtb_dpor_predicate(d), &x->pending[k]);
	}
}

/* Threads that go round on what changes nothing, while nobody else could go on, do nothing that anybody notices; and
 * where somebody else could go on they would not do it. */
static size_t without_vain(const struct vtb_exec *x)
{
	const bool livelock = x->outcome.verdict == VTB_V_LIVELOCK && vtb_dpor_nobody_could_go_on(&x->outcome);

	return x->n_events - (livelock ? x->n_vain : 0);
}

/* In a run that is told whole. */
struct passing {
	size_t next;  /* of x->passed */
	uint64_t ops; /* of the run so far */
};

static bool was_passed(struct passing *p, const struct vtb_exec *x)
{
	const uint64_t op = p->ops++;

	while (p->next < x->n_passed && x->passed[p->next].from + x->passed[p->next].n <= op)
		p->next++;
	return p->next < x->n_passed && x->passed[p->next].from <= op;
}

static int list_shown(struct dpor *d, const struct vtb_exec *x)
{
	const size_t failed = failed_with(x), n = without_vain(x);
	struct vtb_predicate *predicate = vtb_dpor_predicate(d);
	struct passing passing = { 0 };
	uint32_t before = 0;
	int r = 0;

	memset(d->pending_clock, 0, d->width * sizeof(*d->pending_clock));
	d->n_shown = d->lead = 0;
	for (uint32_t k = 0; r >= 0 && k < n; k++) {
		const bool operation = vtb_event_is_operation(&x->events[k]);
		bool hidden = operation && was_passed(&passing, x);

		if (!operation && x->events[k].kind != VTB_E_OWNED)
			continue;
		hidden |= predicate && vtb_predicate_hides(predicate, k);
		r = add_row(d, x, k, hidden && k != failed, before);
		before = k;
	}
	if (r >= 0)
		find_left(d, x, failed);
	return r;
}

static int keep_first(struct dpor *d, const struct vtb_exec *x)
{
	d->all->began = true;
	return vtb_exec_copy(x, &d->all->first);
}

/* Whoever has not been asked for is woken where nothing is lost by it: not where threads read clocks, since of those
 * the order of all operations decides what they read. */
static bool wakes(const struct dpor *d)
{
	const struct vtb_stop *stop = d->space->stop;
	const double left = stop && stop->deadline > 0 ? stop->deadline - vtb_stop_clock() : 0;

	return !d->alone && !d->space->clocks_shared &&
	       vtb_predicate_is_due(d->space->opts->predicate, d->all->classes, left);
}

static int learn(struct dpor *d, const struct vtb_exec *x)
{
	struct vtb_predicate *p = vtb_dpor_predicate(d);
	const uint64_t before = d->all->grown;
	int r;

	if (!p)
		return 0;
	r = vtb_predicate_learn(p, x);
	d->all->grown = vtb_predicate_grown(p); /* other strategies learn, too */
	return r < 0 ? r : d->all->grown != before;
}

int vtb_dpor_show(struct dpor *d, const struct vtb_exec *x)
{
	const bool first = !d->all->began;
	int r = !d->alone && d->space->opts->predicate && first ? keep_first(d, x) : 0, grew = 0;

	if (r >= 0 && wakes(d)) {
		vtb_predicate_wake(d->space->opts->predicate);
		if (d->all->told.now) { /* it learns from runs that are told whole */
			d->all->told.now = 0;
			d->all->afresh++;
			return 1;
		}
	}
	if (r >= 0)
		grew = learn(d, x);
	if (r >= 0 && grew >= 0)
		r = list_shown(d, x);
	if (r < 0 || grew < 0)
		return r < 0 ? r : grew;
	d->all->afresh += grew && !first;
	return grew && !first;
}

/* ---- did it follow */

/* What is planned for the i-th operation that is shown: level i, or else `node`. */
struct planned {
	size_t i;
	uint32_t node;
};

static struct dpor_op *planned_op(struct dpor *d, struct planned at, size_t kept)
{
	return at.i < kept ? &d->levels[at.i].op : at.node == DPOR_NONE ? NULL : &d->all->nodes[at.node].op;
}

static struct planned after(const struct dpor *d, struct planned at, size_t kept)
{
	at.node = at.i < kept ? at.node : d->all->nodes[at.node].child;
	at.i++;
	return at;
}

/* Where a thread goes round, or something is written that others read again and again, some of what it owns is told all
 * the same. Operations that are not those that they were taken for would be turned round in their place. */
static bool goes_as_planned(struct dpor *d, const struct vtb_exec *x, struct planned at, size_t kept)
{
	const struct dpor_op *op = planned_op(d, at, kept);
	const struct dpor_shown *s = &d->shown[at.i];

	return x->events[s->event].site == op->event.site &&
	       (s->span == op->span || !planned_op(d, after(d, at, kept), kept));
}

/* Did anybody else go on before the thread stood at its next operation that is shown? What its thread fails with is
 * one, but that is known where it does only. */
static bool left_too_early(const struct dpor_shown *s, const struct dpor_op *op)
{
	return !s->whole || (s->left && !op->doomed);
}

/* The first `n` operations that are shown are those of the plan: try once more, with their spans. False: that makes no
 * difference. */
static bool drifts(struct dpor *d, size_t n, size_t kept)
{
	struct planned at = { .node = d->path };
	bool changed = false;

	for (; vtb_dpor_predicate(d) && at.i < n; at = after(d, at, kept)) {
		const struct dpor_shown *s = &d->shown[at.i];
		struct dpor_op *op = planned_op(d, at, kept);
		const uint32_t span = !left_too_early(s, op) || s->span > op->span ? s->span : op->span + 1;

		if (at.i + 1 < kept || span == op->span) /* levels before that were done as they were */
			continue;
		op->span = span;
		changed = true;
	}
	d->again += changed;
	return changed;
}

/* Is its thread held back there as one that spins, and alone in what is left of the plan? Then that is rounds that
 * change nothing, as many as there may be. */
static bool is_round(struct dpor *d, struct planned at, size_t kept, const struct vtb_exec *x)
{
	const struct dpor_op *op = planned_op(d, at, kept);
	const struct vtb_event_info *info = vtb_event_info(op->event.kind);
	const uint32_t thread = op->event.thread;

	if (vtb_dpor_hides(d) || at.i >= d->n_shown || vtb_exec_enabled(x, d->shown[at.i].event, thread) ||
	    (x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_SPUN_OPEN | VTB_OUT_ASSUMED)) != VTB_OUT_SPUN || !info ||
	    (info->flags & VTB_EV_BLOCKS && !(op->event.flags & VTB_EVF_TRY)))
		return false;
	while (op && op->event.thread == thread) {
		at = after(d, at, kept);
		op = planned_op(d, at, kept);
	}
	return !op;
}

static enum dpor_followed not_followed(struct dpor *d, struct planned at, size_t kept, const struct vtb_exec *x)
{
	if (!d->doubtful || at.i + 1 < kept)
		return DPOR_DIVERGED;
	return !planned_op(d, after(d, at, kept), kept) || is_round(d, at, kept, x) ? DPOR_IN_VAIN : DPOR_DIVERGED;
}

enum dpor_followed vtb_dpor_followed(struct dpor *d, const struct vtb_exec *x, size_t kept)
{
	struct planned at = { .node = d->path };

	for (const struct dpor_op *op; (op = planned_op(d, at, kept)); at = after(d, at, kept)) {
		if (at.i >= d->n_shown || x->events[d->shown[at.i].event].thread != op->event.thread)
			return drifts(d, at.i, kept) ? DPOR_DRIFTED : not_followed(d, at, kept, x);
		if (d->all->told.now && !goes_as_planned(d, x, at, kept))
			return DPOR_DIVERGED;
		if (left_too_early(&d->shown[at.i], op) && planned_op(d, after(d, at, kept), kept) &&
		    drifts(d, at.i + 1, kept))
			return DPOR_DRIFTED;
	}
	return DPOR_FOLLOWED;
}

bool vtb_dpor_is_whole(const struct dpor *d)
{
	for (size_t i = 0; vtb_dpor_hides(d) && i < d->n_shown; i++)
		if (!d->shown[i].whole)
			return false;
	return true;
}

void vtb_dpor_hide_nothing(struct dpor *d)
{
	d->all->afresh++;
	vtb_predicate_give_up(vtb_dpor_predicate(d));
}
