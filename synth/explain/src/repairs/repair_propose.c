/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores to repairs: a table of shapes, tried one after the other. Where orders go round, pieces become one step; where
 * they do not, one of them is turned round. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "remarks/remarks.h"
#include "repair_shapes.h"

/* ---- orders */

void repair_add_flip(struct repair *r, const struct vtb_exec *x, const struct vtb_order_literal *l, bool end)
{
	for (size_t i = 0; i < r->n_flips; i++)
		if (repair_same_op(&r->flips[i].later, &l->before) && repair_same_op(&r->flips[i].sooner, &l->after))
			return;
	if (r->n_flips == REPAIR_FLIPS)
		r->cut = true;
	else
		r->flips[r->n_flips++] = (struct repair_flip){ .later = l->before,
			                                       .sooner = l->after,
			                                       .from = repair_before_locks(x, &l->before),
			                                       .end = end,
			                                       .run = x };
}

static bool is_flipped(const struct repair *r, const struct vtb_core *core)
{
	for (size_t i = 0; i < r->n_flips; i++)
		for (size_t k = 0; k < core->n_literals; k++)
			if (repair_same_op(&r->flips[i].later, &core->literals[k].before) &&
			    repair_same_op(&r->flips[i].sooner, &core->literals[k].after))
				return true;
	return false;
}

/* The core's order of the same places as the repair's first: other threads that do the same. Else the one that stands
 * where that stands in a core of as many, or its first. */
static size_t like_the_first(const struct repair *r, const struct vtb_core *core, size_t chosen)
{
	for (size_t k = 0; r->n_flips && k < core->n_literals; k++)
		if (core->literals[k].before.site == r->flips[0].later.site &&
		    core->literals[k].after.site == r->flips[0].sooner.site)
			return k;
	return core->n_literals == r->core->n_literals ? chosen : 0;
}

size_t repair_freeing(const struct vtb_core *core)
{
	for (size_t i = 0; i < core->n_literals; i++)
		if (core->literals[i].before.kind == VTB_E_FREE)
			return i;
	return core->n_literals;
}

/* Is it one to be turned round? That nobody finds a block any more is no order of its use and of its end, which the
 * next who comes too late has again; unless a container has moved it. */
static bool may_turn(const struct proposal *p, const struct vtb_core_view *v, size_t i)
{
	if (repair_is_class(p->ret, &core_check_not_repeated))
		return core_used_untested(v, i);
	if (repair_is_class(p->ret, &core_half_object)) /* that it is told to stop sooner is not its end */
		return false;
	return !repair_is_class(p->ret, &core_use_after_free) || repair_freeing(v->core) == v->core->n_literals ||
	       v->core->literals[i].before.kind == VTB_E_FREE || repair_container_frees(p, v);
}

/* Of the first core, the last is number 0. Where a condition is not tested again, what a thread does without it:
 * another thread's, which did not wait, would come later only by chance. n_literals: there are no more. */
static size_t order_of(const struct proposal *p, const struct vtb_core_view *v, size_t nth)
{
	for (size_t i = v->core->n_literals; i-- > 0;)
		if (may_turn(p, v, i) && !nth--)
			return i;
	return v->core->n_literals;
}

static bool overwrites(const struct proposal *p, const struct vtb_core_view *v)
{
	const struct vtb_order_literal *l = v->core->literals;

	return repair_is_class(p->ret, &core_order) && v->core->n_literals == 1 && core_is_access(l->before.kind) &&
	       core_is_access(l->after.kind) && core_writes(&l->before) && core_writes(&l->after);
}

/* Each order of the first core turned round, the last first: what came too early is mostly what came last. Nobody can
 * be told to come first where threads wait for each other: what is missing is a signal, or a mutex; unless one has
 * overwritten what the other had written. Nor where steps come between each other: the threads do the same, or as good,
 * and either may come first. */
static size_t count_orders(const struct proposal *p, const struct vtb_core_view *v)
{
	/* which copy comes first is all the same, as long as none is cut in two */
	const bool steps = repair_is_class(p->ret, &core_atomicity) || repair_is_class(p->ret, &core_multi_atomicity);
	size_t n = 0;

	if ((core_hangs(v) && !overwrites(p, v)) || (v->circle && steps) || remark_shares_pointer(v) ||
	    repair_is_class(p->ret, &core_deadlock))
		return 0;
	while (order_of(p, v, n) < v->core->n_literals)
		n++;
	return n;
}

static int make_orders(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	const size_t chosen = core ? p->ret->core->n_literals - 1 - nth : order_of(p, v, nth);

	if (!is_flipped(p->ret, v->core))
		repair_add_flip(p->ret, &v->core->exec,
		                &v->core->literals[core ? like_the_first(p->ret, v->core, chosen) : chosen], false);
	return 1;
}

/* What was read before it was there is to be there first. */
static size_t count_first(const struct proposal *p, const struct vtb_core_view *v)
{
	(void)v;
	return repair_is_class(p->ret, &core_use_before_init);
}

/* ---- everybody is woken */

static size_t count_wake_all(const struct proposal *p, const struct vtb_core_view *v)
{
	(void)v;
	return repair_is_class(p->ret, &core_too_few_woken);
}

static int make_wake_all(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	(void)v;
	(void)core;
	(void)nth;
	p->ret->kind = "wake-all";
	p->ret->wakes_all = true;
	return 1;
}

/* ---- one step */

static bool needs_steps(const struct proposal *p)
{
	return repair_is_class(p->ret, &core_predicate_without_mutex) || repair_is_class(p->ret, &core_lost_wakeup);
}

/* No lock makes an object whole: who comes to it first after its end finds it no better. */
static bool has_steps(const struct proposal *p, const struct vtb_core_view *v)
{
	return v->circle && !repair_is_class(p->ret, &core_half_object);
}

static size_t count_steps(const struct proposal *p, const struct vtb_core_view *v)
{
	return has_steps(p, v) || needs_steps(p);
}

static int make_steps(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	(void)core;
	(void)nth;
	p->ret->kind = "one-step";
	repair_add_pieces(p->ret, v, p->opts, needs_steps(p) ? REPAIR_ALL : REPAIR_CIRCLE);
	return v->circle || needs_steps(p) ? 1 : make_orders(p, v, core, nth);
}

/* As far as their functions go. */
static size_t count_whole(const struct proposal *p, const struct vtb_core_view *v)
{
	return has_steps(p, v) && p->opts->passing;
}

static int make_whole(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	(void)nth;
	p->ret->kind = "one-step";
	repair_add_pieces(p->ret, v, p->opts, REPAIR_WHOLE);
	return v->circle ? 1 : make_orders(p, v, core, nth);
}

/* A part of a core was looked at: its run goes with that, the core's stays. */
static void are_of(struct repair *r, const struct vtb_exec *part, const struct vtb_exec *run)
{
	for (size_t i = 0; i < r->n_pieces; i++) {
		r->pieces[i].run = r->pieces[i].run == part ? run : r->pieces[i].run;
		r->pieces[i].whole = r->pieces[i].whole == part ? run : r->pieces[i].whole;
	}
}

/* ---- one step of what is about one variable alone: the others only show what comes of it */

static int only_about(const struct vtb_core *core, uint32_t var, struct vtb_core *ret)
{
	*ret = *core;
	ret->n_literals = 0;
	ret->literals = calloc(core->n_literals + 1, sizeof(*ret->literals));
	for (size_t i = 0; ret->literals && i < core->n_literals; i++)
		if (core->literals[i].before.var == var && core_is_data(&core->literals[i].before))
			ret->literals[ret->n_literals++] = core->literals[i];
	return ret->literals ? 0 : -ENOMEM;
}

/* Calls back with each smaller core that goes round. 1: that was enough. */
static int smaller(const struct proposal *p, const struct vtb_core_view *v, bool add)
{
	int r = 0;

	for (size_t i = 0; v->circle && i < v->core->n_literals && !r; i++) {
		struct vtb_core core;
		struct vtb_core_view small;

		if (only_about(v->core, v->core->literals[i].before.var, &core) < 0)
			return -ENOMEM;
		if (core.n_literals > 1 && core.n_literals < v->core->n_literals &&
		    vtb_core_view_of(&core, p->tab, &small) >= 0) {
			r = small.circle;
			if (r && add)
				repair_add_pieces(p->ret, &small, p->opts, REPAIR_CIRCLE);
			are_of(p->ret, &core.exec, &v->core->exec);
			vtb_core_view_fini(&small);
		}
		free(core.literals);
	}
	return r;
}

static size_t count_smaller(const struct proposal *p, const struct vtb_core_view *v)
{
	return has_steps(p, v) && smaller(p, v, false) == 1;
}

static int make_smaller(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	const int r = smaller(p, v, true);

	p->ret->kind = "one-step";
	return r ? r : make_steps(p, v, core, nth);
}

/* ---- the last use of a block that was still allowed, and the next, which was not, as one step */

/* The last access of the thread to that object between two places, or VTB_EVENT_NONE. */
static size_t last_access(const struct vtb_core_view *v, uint32_t thread, uint32_t object, size_t to)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = to; object != VTB_NONE && to != VTB_EVENT_NONE && i-- > 0;)
		if (x->events[i].thread == thread && core_is_access(x->events[i].kind) &&
		    repair_object_of(v->tab, x->events[i].var) == object)
			return i;
	return VTB_EVENT_NONE;
}

static struct vtb_order_literal between(const struct vtb_exec *x, size_t before, size_t after)
{
	return (struct vtb_order_literal){ .before = core_op_at(x, before), .after = core_op_at(x, after) };
}

/* The orders of both threads' earlier accesses beside that of the core: then it goes round. */
static int make_uses(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	const size_t literal = repair_freeing(v->core);
	const struct vtb_order_literal *l = literal < v->core->n_literals ? &v->core->literals[literal] : NULL;
	const uint32_t object = l ? repair_object_of(v->tab, l->before.var) : VTB_NONE;
	const size_t freed = l ? v->before[literal].at : VTB_EVENT_NONE;
	const size_t used = l ? last_access(v, l->after.thread, object, freed) : VTB_EVENT_NONE;
	const size_t own = l ? last_access(v, l->before.thread, object, freed) : VTB_EVENT_NONE;
	struct vtb_order_literal both[2];
	struct vtb_core round = *v->core;
	struct vtb_core_view view;
	int r = 0;

	(void)core;
	(void)nth;
	p->ret->kind = "one-step";
	if (used == VTB_EVENT_NONE || own == VTB_EVENT_NONE || v->circle)
		return 0;
	both[0] = between(&v->core->exec, used, own);
	both[1] = *l;
	round.literals = both;
	round.n_literals = 2;
	if (vtb_core_view_of(&round, p->tab, &view) < 0)
		return -ENOMEM;
	repair_add_pieces(p->ret, &view, p->opts, REPAIR_CIRCLE);
	are_of(p->ret, &round.exec, &v->core->exec);
	r = view.circle;
	vtb_core_view_fini(&view);
	return r;
}

static size_t count_uses(const struct proposal *p, const struct vtb_core_view *v)
{
	return repair_is_class(p->ret, &core_use_after_free) && !v->circle &&
	       repair_freeing(v->core) < v->core->n_literals;
}

/* ---- the table */

static const struct shape {
	size_t (*count)(const struct proposal *p, const struct vtb_core_view *v); /* of the first core */
	/* 1; 0: the core cannot be closed so; -ENOMEM */
	int (*make)(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth);
} shapes[] = {
	{ repair_count_join, repair_make_join },
	{ repair_count_done, repair_make_done },
	{ count_wake_all, make_wake_all },
	{ count_first, make_orders },
	{ count_smaller, make_smaller },
	{ count_steps, make_steps },
	{ count_whole, make_whole },
	{ count_uses, make_uses },
	{ repair_count_late_join, repair_make_join },
	{ count_orders, make_orders },
};

/* The shape of proposal number `nth`, which becomes its number among those of the shape. NULL: there are no more. */
static const struct shape *shape_of(const struct proposal *p, const struct vtb_core_view *v, size_t *nth)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const size_t n = shapes[i].count(p, v);

		if (*nth < n)
			return &shapes[i];
		*nth -= n;
	}
	return NULL;
}

/* Who asks for a lock that it has waits for itself: whoever comes first, the next round may ask again. Who has left
 * with a lock is to let it go, and to keep it from coming there is no repair. Nor can who starves wait for the others;
 * and a lock around what a semaphore lets in twice is one more. */
static bool has_repair(const struct vtb_core_view *v)
{
	const struct vtb_core_class *class = vtb_core_classify(v);

	return v->core->exec.outcome.verdict != VTB_V_LIVELOCK && !core_waits_for_itself(&v->core->exec) &&
	       class != &core_abandoned && class != &core_pool_starvation && class != &core_overposted;
}

int repair_propose(const struct vtb_cores *cores, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                   size_t nth, struct repair *ret)
{
	const struct proposal p = { cores, tab, opts, ret };
	const struct shape *shape = NULL;
	int r = 1;

	*ret = (struct repair){ .core = cores->cores, .kind = "order" };
	for (size_t i = 0; i < cores->n_cores && r > 0; i++) {
		struct vtb_core_view v;
		int made = vtb_core_view_of(&cores->cores[i], tab, &v);

		if (made < 0)
			return made;
		v.place = opts->place;
		v.places = opts->places;
		v.passing = opts->passing;
		if (i == 0) {
			ret->class = vtb_core_classify(&v);
			shape = has_repair(&v) ? shape_of(&p, &v, &nth) : NULL;
		}
		r = shape ? shape->make(&p, &v, i, nth) : 0;
		vtb_core_view_fini(&v);
	}
	return r || !shape ? r : REPAIR_IS_NONE;
}
