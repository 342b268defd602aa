/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of threads, and whether a core's orders go round among them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "remarks/remarks.h"

struct end_ref {
	const struct vtb_core_op *op;
	struct vtb_core_end *end;
};

void vtb_core_view_fini(struct vtb_core_view *v)
{
	free(v->before);
	free(v->after);
	*v = (struct vtb_core_view){ 0 };
}

static int by_thread_and_place(const void *a, const void *b)
{
	const struct end_ref *l = a, *r = b;

	if (l->op->thread != r->op->thread)
		return l->op->thread < r->op->thread ? -1 : 1;
	return l->end->at < r->end->at ? -1 : l->end->at > r->end->at;
}

/* Has the thread come to the first operation of the piece again, up to `to`? */
static bool comes_again(const struct vtb_exec *x, const struct end_ref *first, const struct end_ref *to)
{
	if (first->op->site == to->op->site && first->op->kind == to->op->kind && first->end->at != to->end->at)
		return true;
	for (size_t i = first->end->at + 1; first->end->at != VTB_EVENT_NONE && i < to->end->at && i < x->n_events; i++)
		if (x->events[i].thread == first->op->thread && x->events[i].site == first->op->site &&
		    x->events[i].kind == first->op->kind)
			return true;
	return false;
}

static bool same_function(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	return a < tab->n_sites && b < tab->n_sites && !strcmp(tab->sites[a].function, tab->sites[b].function);
}

/* A call may look at what it is given more than once: that is no round. */
static bool is_of_call(const struct vtb_exec *x, const struct vtb_event *access)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == access->thread && x->events[i].site == access->site &&
		    vtb_event_info(x->events[i].kind)->family == VTB_FAMILY_IO)
			return true;
	return false;
}

/* The place at which a round of the loop begins that `op` is in: of those that the thread comes to twice in that
 * function the one that it comes to first. VTB_NONE: there is none. */
static uint32_t head_of(const struct vtb_core_view *v, const struct vtb_core_op *op)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != op->thread || !core_is_access(e->kind) || !same_function(v->tab, e->site, op->site))
			continue;
		for (size_t k = i + 1; k < x->n_events; k++)
			if (x->events[k].thread == e->thread && x->events[k].site == e->site &&
			    x->events[k].kind == e->kind && !is_of_call(x, e))
				return e->site;
	}
	return VTB_NONE;
}

/* Does the thread begin another round between the two? */
static bool goes_round(const struct vtb_core_view *v, const struct end_ref *first, const struct end_ref *to)
{
	const struct vtb_exec *x = &v->core->exec;
	const uint32_t head = head_of(v, first->op);

	for (size_t i = first->end->at + 1; head != VTB_NONE && first->end->at != VTB_EVENT_NONE; i++) {
		if (i >= x->n_events || i > to->end->at)
			return false;
		if (x->events[i].thread == first->op->thread && x->events[i].site == head)
			return true;
	}
	return false;
}

static int find_pieces(struct vtb_core_view *v)
{
	const struct vtb_core *core = v->core;
	const size_t n = 2 * core->n_literals;
	struct end_ref *ends = calloc(n + 1, sizeof(*ends)), *first = ends;

	if (!ends)
		return -ENOMEM;
	for (size_t i = 0; i < core->n_literals; i++) {
		ends[2 * i] = (struct end_ref){ &core->literals[i].before, &v->before[i] };
		ends[2 * i + 1] = (struct end_ref){ &core->literals[i].after, &v->after[i] };
	}
	qsort(ends, n, sizeof(*ends), by_thread_and_place);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || ends[i].op->thread != first->op->thread || comes_again(&core->exec, first, &ends[i]) ||
		    goes_round(v, first, &ends[i])) {
			first = &ends[i];
			v->n_pieces++;
		}
		ends[i].end->piece = v->n_pieces - 1;
	}
	free(ends);
	return 0;
}

/* Does the literal lead from a piece, or thread, that is still there to number `to`? */
static bool leads(const struct vtb_core_view *v, size_t literal, uint32_t to, bool threads, const bool *gone)
{
	const struct vtb_order_literal *l = &v->core->literals[literal];

	return threads ? l->after.thread == to && !gone[l->before.thread]
	               : v->after[literal].piece == to && !gone[v->before[literal].piece];
}

static uint32_t count_threads(const struct vtb_core *core)
{
	uint32_t n = 0;

	for (size_t i = 0; i < core->n_literals; i++) {
		n = core->literals[i].before.thread >= n ? core->literals[i].before.thread + 1 : n;
		n = core->literals[i].after.thread >= n ? core->literals[i].after.thread + 1 : n;
	}
	return n;
}

/* Take pieces, or threads, away that no literal leads to; what cannot be taken away lies on a circle, or behind one. */
static int find_circle(const struct vtb_core_view *v, bool threads, bool *ret)
{
	const uint32_t n = threads ? count_threads(v->core) : v->n_pieces;
	bool *gone = calloc(n + 1, sizeof(*gone)), more = true;
	uint32_t left = n;

	if (!gone)
		return -ENOMEM;
	while (more) {
		more = false;
		for (uint32_t p = 0; p < n; p++) {
			bool reached = false;

			for (size_t i = 0; i < v->core->n_literals; i++)
				reached |= leads(v, i, p, threads, gone);
			if (gone[p] || reached)
				continue;
			gone[p] = more = true;
			left--;
		}
	}
	*ret = left > 0;
	free(gone);
	return 0;
}

bool core_is_data(const struct vtb_core_op *op)
{
	return core_is_access(op->kind) || vtb_event_info(op->kind)->family == VTB_FAMILY_HEAP;
}

static uint32_t count_vars(const struct vtb_core *core)
{
	uint32_t n = 0;

	for (size_t i = 0; i < core->n_literals; i++) {
		const struct vtb_core_op *op = &core->literals[i].before;
		bool known = !core_is_data(op);

		for (size_t k = 0; k < i && !known; k++)
			known = core_is_data(&core->literals[k].before) && core->literals[k].before.var == op->var;
		n += !known;
	}
	return n;
}

/* Two orders that go out of a thread and back into it, if in another round or another call: one came between two
 * operations of the other, which is no more than if it were one round. Longer chains are turns that threads take. */
static int join_rounds(struct vtb_core_view *v)
{
	bool circle = false;
	int r = v->core->n_literals == 2 ? find_circle(v, true, &circle) : 0;

	if (r < 0 || !circle)
		return r;
	for (size_t i = 0; i < 2; i++) { /* two threads take part */
		v->before[i].piece = v->core->literals[i].before.thread != v->core->literals[0].before.thread;
		v->after[i].piece = v->core->literals[i].after.thread != v->core->literals[0].before.thread;
	}
	v->n_pieces = 2;
	v->circle = true;
	return 0;
}

/* Others came between two operations of one piece, each after the first or before the second: together they are what
 * one thread alone would be if it did both. */
static bool came_between(const struct vtb_core_view *v)
{
	for (size_t out = 0; out < v->core->n_literals; out++)
		for (size_t in = 0; in < v->core->n_literals; in++)
			if (v->before[out].piece == v->after[in].piece && v->before[out].at < v->after[in].at &&
			    v->after[out].at != VTB_EVENT_NONE && v->after[out].at <= v->before[in].at)
				return true;
	return false;
}

int vtb_core_view_of(const struct vtb_core *core, const struct vtb_symtab *tab, struct vtb_core_view *ret)
{
	int r;

	*ret = (struct vtb_core_view){ .core = core, .tab = tab, .n_vars = count_vars(core) };
	ret->before = calloc(core->n_literals + 1, sizeof(*ret->before));
	ret->after = calloc(core->n_literals + 1, sizeof(*ret->after));
	for (size_t i = 0; ret->before && ret->after && i < core->n_literals; i++) {
		ret->before[i].at = core_place_in(&core->exec, &core->literals[i].before);
		ret->after[i].at = core_place_in(&core->exec, &core->literals[i].after);
	}
	r = ret->before && ret->after ? find_pieces(ret) : -ENOMEM;
	if (r >= 0)
		r = find_circle(ret, false, &ret->circle);
	if (r >= 0 && !ret->circle)
		r = join_rounds(ret);
	if (r >= 0 && !ret->circle)
		ret->circle = came_between(ret);
	if (r < 0)
		vtb_core_view_fini(ret);
	return r;
}

const struct vtb_core_class *vtb_core_classify(const struct vtb_core_view *v)
{
	for (size_t i = 0;; i++)
		if (core_classes[i]->fits(v))
			return core_classes[i];
}

char *vtb_core_tell(const struct vtb_core_view *v, const struct vtb_core_class *class, char *buf, size_t size)
{
	static void (*const remarks[])(const struct vtb_core_view *v, char *buf,
	                               size_t size) = { remark_destroyed_first, remark_at_exit, remark_shared_pointer,
		                                        remark_told_early };

	*buf = 0;
	if (class->tell)
		class->tell(v, buf, size);
	for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks) && !*buf; i++)
		remarks[i](v, buf, size);
	return buf;
}

char *vtb_core_tell_unrepaired(const struct vtb_core_view *v, char *buf, size_t size)
{
	*buf = 0;
	remark_left_out(v, buf, size);
	return buf;
}

const struct vtb_core_class *vtb_core_class_named(const char *name)
{
	for (size_t i = 0; i < core_n_classes; i++)
		if (!strcmp(core_classes[i]->name, name))
			return core_classes[i];
	return NULL;
}
