/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores to repairs: where orders go round, pieces become one step; where they do not, one of them is turned round. */
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

/* Whoever must wait does so before it takes a lock: else the other would wait for that. */
static struct vtb_core_op without_locks(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	const size_t at = core_place_in(x, op);
	const size_t since = at == VTB_EVENT_NONE ? at : core_locked_since(x, at);

	return since == at ? *op : core_op_at(x, since);
}

static uint32_t lock_over(const struct vtb_exec *x, size_t first, size_t last)
{
	const uint32_t lock = first == VTB_EVENT_NONE ? VTB_NONE : core_some_lock(x, first);

	return lock != VTB_NONE && last != VTB_EVENT_NONE && core_holds_lock(x, last, lock) ? lock : VTB_NONE;
}

/* Other pieces of the same function begin, or end, at another of its lines: so does this one, as the code is one. */
static void widen_to(struct repair_piece *p, const struct vtb_core_view *v, const struct vtb_core_op *other)
{
	const struct vtb_exec *x = &v->core->exec;
	const size_t first = core_place_in(x, &p->first), last = core_place_in(x, &p->last);
	const char *function = p->first.site < v->tab->n_sites ? v->tab->sites[p->first.site].function : "";

	if (other->site >= v->tab->n_sites || strcmp(v->tab->sites[other->site].function, function) ||
	    first == VTB_EVENT_NONE)
		return;
	for (size_t i = first; i-- > 0 && x->events[i].site != p->last.site;)
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

static void widen(struct repair_piece *p, const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++) {
		widen_to(p, v, &v->core->literals[i].before);
		widen_to(p, v, &v->core->literals[i].after);
	}
}

/* From the first to the last of the core's operations in this piece. False: it has none. */
static bool piece_of(const struct vtb_core_view *v, uint32_t piece, struct repair_piece *ret)
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
		                                core_locked_since(&v->core->exec, last.at) < first.at,
		                      .run = &v->core->exec };
	ret->shared = ret->lock != VTB_NONE && core_holds_shared(&v->core->exec, first.at, ret->lock);
	widen(ret, v);
	ret->from = without_locks(ret->run, &ret->first);
	return true;
}

static bool same_op(const struct vtb_core_op *a, const struct vtb_core_op *b)
{
	return a->thread == b->thread && a->site == b->site && a->kind == b->kind && a->occurrence == b->occurrence;
}

/* Pieces that overlap are one: the earlier beginning, the later end, as far as operation numbers tell. */
static void add_piece(struct repair *r, const struct repair_piece *p)
{
	for (size_t i = 0; i < r->n_pieces; i++) {
		struct repair_piece *have = &r->pieces[i];

		if (have->first.thread != p->first.thread ||
		    (!same_op(&have->first, &p->first) && !same_op(&have->last, &p->last) &&
		     (have->last.index < p->first.index || p->last.index < have->first.index)))
			continue;
		if (p->first.index && p->first.index < have->first.index) {
			have->first = p->first;
			have->from = p->from;
		}
		if (!p->last.index || (have->last.index && p->last.index > have->last.index))
			have->last = p->last;
		have->lock = have->lock == p->lock ? p->lock : VTB_NONE;
		have->locked &= p->locked;
		return;
	}
	if (r->n_pieces == REPAIR_PIECES)
		r->cut = true;
	else
		r->pieces[r->n_pieces++] = *p;
}

static void add_flip(struct repair *r, const struct vtb_exec *x, const struct vtb_order_literal *l)
{
	for (size_t i = 0; i < r->n_flips; i++)
		if (same_op(&r->flips[i].later, &l->before) && same_op(&r->flips[i].sooner, &l->after))
			return;
	if (r->n_flips == REPAIR_FLIPS)
		r->cut = true;
	else
		r->flips[r->n_flips++] = (struct repair_flip){
			.later = l->before, .sooner = l->after, .from = without_locks(x, &l->before), .run = x
		};
}

static bool is_flipped(const struct repair *r, const struct vtb_core *core)
{
	for (size_t i = 0; i < r->n_flips; i++)
		for (size_t k = 0; k < core->n_literals; k++)
			if (same_op(&r->flips[i].later, &core->literals[k].before) &&
			    same_op(&r->flips[i].sooner, &core->literals[k].after))
				return true;
	return false;
}

static void cover(struct repair *r, const struct vtb_core_view *v, bool steps, size_t literal)
{
	struct repair_piece p;

	if (!steps || !v->circle) {
		if (!is_flipped(r, v->core))
			add_flip(r, &v->core->exec, &v->core->literals[literal % v->core->n_literals]);
		return;
	}
	for (uint32_t piece = 0; piece < v->n_pieces; piece++)
		if (piece_of(v, piece, &p))
			add_piece(r, &p);
}

/* Nobody can be told to come first where threads wait for each other: what is missing is a signal, or a mutex. */
static bool no_order_helps(const struct vtb_core_class *class)
{
	return class == &core_predicate_without_mutex || class == &core_lost_wakeup || class == &core_too_few_woken;
}

/* First with steps, then each order of the first core turned round, the last first: what came too early is mostly what
 * came last. */
int repair_propose(const struct vtb_cores *cores, const struct vtb_symtab *tab, size_t nth, struct repair *ret)
{
	bool steps = false;
	int r = 1;

	*ret = (struct repair){ .core = cores->cores };
	for (size_t i = 0; i < cores->n_cores && r > 0; i++) {
		struct vtb_core_view v;
		int made = vtb_core_view_of(&cores->cores[i], tab, &v);

		if (made < 0)
			return made;
		if (i == 0) {
			ret->class = vtb_core_classify(&v);
			steps = v.circle && nth == 0;
			r = no_order_helps(ret->class) ? steps : nth < v.core->n_literals + v.circle;
			if (v.core->exec.outcome.verdict == VTB_V_LIVELOCK)
				r = 0;
		}
		if (r > 0)
			cover(ret, &v, nth == 0, i == 0 ? v.core->n_literals - 1 - (nth - (v.circle && !steps)) : 0);
		vtb_core_view_fini(&v);
	}
	return r;
}
