/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of threads that become one step. */
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repairs.h"

/* One end of a literal of the core: where its operation would stand if it had taken place. */
struct end {
	const struct vtb_core_op *op;
	size_t at;
	uint32_t piece;
};

static struct end end_of(const struct vtb_core_view *v, size_t i)
{
	const struct vtb_order_literal *l = &v->core->literals[i / 2];
	const struct vtb_core_end *e = i % 2 ? &v->after[i / 2] : &v->before[i / 2];

	return (struct end){ i % 2 ? &l->after : &l->before, e->at, e->piece };
}

struct vtb_core_op repair_before_locks(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	const size_t at = core_place_in(x, op);
	const size_t since = at == VTB_EVENT_NONE ? at : core_locked_since(x, at);

	return since == at ? *op : core_op_at(x, since);
}

bool repair_gives_back(unsigned kind)
{
	return kind == VTB_E_FREE || kind == VTB_E_MUTEX_DESTROY || kind == VTB_E_RWLOCK_DESTROY ||
	       kind == VTB_E_COND_DESTROY || kind == VTB_E_SEM_DESTROY || kind == VTB_E_BARRIER_DESTROY;
}

struct vtb_core_op repair_before_frees(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	const size_t at = core_place_in(x, op);
	size_t first = at;

	for (size_t i = at; at != VTB_EVENT_NONE && i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != op->thread)
			continue;
		if (!repair_gives_back(e->kind) && !core_is_access(e->kind))
			break;
		first = repair_gives_back(e->kind) ? i : first;
	}
	return first == at ? *op : core_op_at(x, first);
}

bool repair_same_op(const struct vtb_core_op *a, const struct vtb_core_op *b)
{
	return a->thread == b->thread && a->site == b->site &&
	       vtb_event_pending_kind(a->kind) == vtb_event_pending_kind(b->kind) && a->occurrence == b->occurrence;
}

/* An operation that takes a lock has it. */
static uint32_t lock_over(const struct vtb_exec *x, size_t first, size_t last)
{
	const uint32_t taken = first == VTB_EVENT_NONE ? VTB_NONE : core_takes_lock(x, first);
	const uint32_t lock = first == VTB_EVENT_NONE || taken != VTB_NONE ? taken : core_some_lock(x, first);

	return lock != VTB_NONE && last != VTB_EVENT_NONE &&
	               (core_takes_lock(x, last) == lock || core_holds_lock(x, last, lock))
	           ? lock
	           : VTB_NONE;
}

/* At an operation of the thread that has it, or takes it. */
static bool is_shared(const struct vtb_exec *x, size_t at, uint32_t lock)
{
	return lock != VTB_NONE && (core_holds_shared(x, at, lock) || x->events[at].kind == VTB_E_RDLOCK ||
	                            x->events[at].kind == VTB_E_TRYRDLOCK);
}

/* The user's function. */
static const char *function_at(const struct vtb_core_view *v, const struct vtb_core_repair_opts *opts,
                               const struct vtb_exec *x, const struct vtb_core_op *op)
{
	const uint32_t site = opts->place ? opts->place(op, x, opts->places) : op->site;

	return site < v->tab->n_sites ? v->tab->sites[site].function : "";
}

/* Other pieces of the same function begin, or end, at another of its lines: so does this one, as the code is one. */
static void widen_to(struct repair_piece *p, const struct vtb_core_view *v, const struct vtb_core_repair_opts *opts,
                     const struct vtb_core_op *other)
{
	const struct vtb_exec *x = &v->core->exec;
	const size_t first = core_place_in(x, &p->first), last = core_place_in(x, &p->last);
	const char *function = function_at(v, opts, x, &p->first);

	if (first == VTB_EVENT_NONE || strcmp(function_at(v, opts, x, other), function))
		return;
	for (size_t i = first; i-- > 0 && x->events[i].site != p->last.site && x->events[i].site != p->first.site;)
		if (x->events[i].thread == p->first.thread && x->events[i].site == other->site &&
		    x->events[i].kind == other->kind) {
			p->first = core_op_at(x, i);
			break;
		}
	for (size_t i = last; last != VTB_EVENT_NONE && ++i < x->n_events && x->events[i].site != p->first.site;)
		if (x->events[i].thread == p->first.thread && x->events[i].site == other->site &&
		    x->events[i].kind == other->kind)
			p->last = core_op_at(x, i);
}

static void widen(struct repair_piece *p, const struct vtb_core_view *v, const struct vtb_core_repair_opts *opts)
{
	for (size_t i = 0; i < v->core->n_literals; i++) {
		widen_to(p, v, opts, &v->core->literals[i].before);
		widen_to(p, v, opts, &v->core->literals[i].after);
	}
}

/* From the first to the last of the core's operations in this piece. False: it has none. */
static bool piece_of(const struct vtb_core_view *v, uint32_t piece, const struct vtb_core_repair_opts *opts,
                     struct repair_piece *ret)
{
	struct end first = { .at = 0 }, last = { .at = 0 };

	for (size_t i = 0; i < 2 * v->core->n_literals; i++) {
		const struct end e = end_of(v, i);

		if (e.piece != piece)
			continue;
		if (!first.op || e.at < first.at)
			first = e;
		if (!last.op || e.at >= last.at)
			last = e;
	}
	if (!first.op)
		return false;
	*ret = (struct repair_piece){ .first = *first.op,
		                      .last = *last.op,
		                      .lock = lock_over(&v->core->exec, first.at, last.at),
		                      .locked = last.at != VTB_EVENT_NONE &&
		                                core_locked_since(&v->core->exec, last.at) <= first.at,
		                      .run = &v->core->exec };
	ret->shared = is_shared(&v->core->exec, first.at, ret->lock);
	widen(ret, v, opts);
	ret->from = repair_before_locks(ret->run, &ret->first);
	return true;
}

void repair_shrink_piece(struct repair_piece *p, bool to_last)
{
	const struct vtb_exec *x = to_last && p->whole ? p->whole : p->run;
	const struct vtb_core_op op = to_last ? p->last : p->first;
	const size_t at = core_place_in(x, &op);

	*p = (struct repair_piece){
		.first = op, .last = op, .from = repair_before_locks(x, &op), .lock = lock_over(x, at, at), .run = x
	};
	p->locked = p->lock != VTB_NONE;
	p->shared = is_shared(x, at, p->lock);
}

/* ---- to the end of the function */

/* Where the piece begins in the run that passes, or VTB_EVENT_NONE. */
static size_t begins_in(const struct vtb_exec *x, const struct repair_piece *p)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == p->first.thread && x->events[i].site == p->first.site &&
		    vtb_event_pending_kind(x->events[i].kind) == vtb_event_pending_kind(p->first.kind) &&
		    core_op_at(x, i).occurrence == p->first.occurrence)
			return i;
	return VTB_EVENT_NONE;
}

/* A run that fails does not show where the function ends; one that passes does. */
static void to_the_end(struct repair_piece *p, const struct vtb_core_view *v, const struct vtb_core_repair_opts *opts)
{
	const struct vtb_exec *x = opts->passing;
	const char *function = function_at(v, opts, p->run, &p->first);
	size_t last = VTB_EVENT_NONE;

	for (size_t i = begins_in(x, p); i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const struct vtb_core_op op = e->thread == p->first.thread ? core_op_at(x, i) : p->first;

		if (e->thread != p->first.thread || !core_is_access(e->kind))
			continue;
		if (last != VTB_EVENT_NONE && e->site == p->first.site && e->kind == p->first.kind)
			break; /* it is called again */
		if (!strcmp(function_at(v, opts, x, &op), function))
			last = i;
	}
	if (last == VTB_EVENT_NONE)
		return;
	p->last = core_op_at(x, last);
	p->whole = x;
}

/* Pieces that overlap are one: the earlier beginning, the later end, as far as operation numbers tell. */
static void add_piece(struct repair *r, const struct repair_piece *p)
{
	for (size_t i = 0; i < r->n_pieces; i++) {
		struct repair_piece *have = &r->pieces[i];

		if (have->first.thread != p->first.thread ||
		    (!repair_same_op(&have->first, &p->first) && !repair_same_op(&have->last, &p->last) &&
		     (have->last.index < p->first.index || p->last.index < have->first.index)))
			continue;
		if (p->first.index && p->first.index < have->first.index) {
			have->first = p->first;
			have->from = p->from;
		}
		if (!p->last.index || (have->last.index && p->last.index > have->last.index)) {
			have->last = p->last;
			have->whole = p->whole ? p->whole : p->run;
		}
		have->lock = have->lock == p->lock ? p->lock : VTB_NONE;
		have->locked &= p->locked;
		return;
	}
	if (r->n_pieces == REPAIR_PIECES)
		r->cut = true;
	else
		r->pieces[r->n_pieces++] = *p;
}

void repair_add_pieces(struct repair *r, const struct vtb_core_view *v, const struct vtb_core_repair_opts *opts,
                       enum repair_extent extent)
{
	struct repair_piece p;

	for (uint32_t piece = 0; piece < v->n_pieces && (extent == REPAIR_ALL || v->circle); piece++) {
		if (!piece_of(v, piece, opts, &p))
			continue;
		if (extent == REPAIR_WHOLE)
			to_the_end(&p, v, opts);
		add_piece(r, &p);
	}
}
