/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repairs that wait for a thread: until its end, or until it has done with what is freed. */
#include <stdint.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repair_shapes.h"

bool repair_container_frees(const struct proposal *p, const struct vtb_core_view *v)
{
	const struct vtb_core_op *op = &v->core->literals[repair_freeing(v->core)].before;
	const uint32_t site = p->opts->place ? p->opts->place(op, &v->core->exec, p->opts->places) : op->site;
	const char *via = site < p->tab->n_sites ? p->tab->sites[site].via : "";

	return *via && !strstr(via, "::~");
}

static bool has_user(const struct proposal *p, const struct vtb_core_view *v)
{
	return repair_is_class(p->ret, &core_use_after_free) && repair_freeing(v->core) < v->core->n_literals;
}

/* Before it is freed, or before anything that is freed with it. */
size_t repair_count_join(const struct proposal *p, const struct vtb_core_view *v)
{
	return has_user(p, v) && !repair_container_frees(p, v) ? 2 : 0;
}

size_t repair_count_late_join(const struct proposal *p, const struct vtb_core_view *v)
{
	return has_user(p, v) && repair_container_frees(p, v);
}

int repair_make_join(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	const size_t literal = repair_freeing(v->core);

	(void)core;
	p->ret->kind = "join";
	if (literal == v->core->n_literals)
		return 0;
	repair_add_flip(p->ret, &v->core->exec, &v->core->literals[literal], true);
	for (size_t i = 0; i < p->ret->n_flips && nth; i++)
		p->ret->flips[i].from = repair_before_frees(p->ret->flips[i].run, &p->ret->flips[i].from);
	return 1;
}

static bool touches_block(const struct vtb_event *e, const struct vtb_event *freed, const struct vtb_symtab *tab)
{
	const uint32_t object = repair_object_of(tab, freed->var);
	const uint64_t size = object < tab->n_objects ? tab->objects[object].size : 0;

	return freed->addr && e->addr >= freed->addr && e->addr < freed->addr + (size ? size : 1);
}

/* What the thread of event `freed` frees together with that: with nothing but accesses in between. */
static bool touches_freed(const struct proposal *p, const struct vtb_exec *x, size_t freed, const struct vtb_event *e)
{
	for (size_t i = freed + 1; i-- > 0;) {
		const struct vtb_event *own = &x->events[i];

		if (own->thread != x->events[freed].thread)
			continue;
		if (!repair_gives_back(own->kind) && !core_is_access(own->kind))
			return false;
		if (own->kind == VTB_E_FREE && touches_block(e, own, p->tab))
			return true;
	}
	return false;
}

/* The last that the thread does, in the run that passes, with what the other one frees there after that, or
 * VTB_EVENT_NONE. */
static size_t done_with(const struct proposal *p, const struct vtb_order_literal *l)
{
	const struct vtb_exec *x = p->opts->passing;
	const uint32_t object = repair_object_of(p->tab, l->before.var);
	size_t freed = x && object != VTB_NONE ? x->n_events : 0;

	while (freed-- > 0 && !(x->events[freed].kind == VTB_E_FREE && x->events[freed].thread == l->before.thread &&
	                        repair_object_of(p->tab, x->events[freed].var) == object))
		;
	for (size_t i = freed == SIZE_MAX ? 0 : freed; i-- > 0;)
		if (x->events[i].thread == l->after.thread && touches_freed(p, x, freed, &x->events[i]))
			return i;
	return VTB_EVENT_NONE;
}

/* Where the thread that frees the block begins with it: what it does there before it frees it, and whatever it frees
 * before, with nothing but accesses in between. Another run may have more to free. */
static struct vtb_core_op begins_to_free(const struct proposal *p, const struct vtb_exec *x,
                                         const struct vtb_core_op *op)
{
	const size_t at = core_place_in(x, op);
	size_t first = at;

	for (size_t i = at; at != VTB_EVENT_NONE && i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != op->thread)
			continue;
		if (!repair_gives_back(e->kind) && !core_is_access(e->kind))
			break;
		if (repair_gives_back(e->kind) || repair_object_of(p->tab, e->var) == repair_object_of(p->tab, op->var))
			first = i;
	}
	return first == at ? *op : core_op_at(x, first);
}

size_t repair_count_done(const struct proposal *p, const struct vtb_core_view *v)
{
	return has_user(p, v) && !repair_container_frees(p, v) &&
	       done_with(p, &v->core->literals[repair_freeing(v->core)]) != VTB_EVENT_NONE;
}

/* Its end may never come as long as the other one keeps it, but the thread may have done with the block. */
int repair_make_done(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth)
{
	const size_t literal = repair_freeing(v->core), before = p->ret->n_flips;
	const size_t done = literal < v->core->n_literals ? done_with(p, &v->core->literals[literal]) : VTB_EVENT_NONE;

	(void)core;
	(void)nth;
	p->ret->kind = "join";
	if (done == VTB_EVENT_NONE)
		return 0;
	repair_add_flip(p->ret, &v->core->exec, &v->core->literals[literal], false);
	if (p->ret->n_flips > before) {
		p->ret->flips[before].has_done = true;
		p->ret->flips[before].done = core_op_at(p->opts->passing, done);
		p->ret->flips[before].from = begins_to_free(p, &v->core->exec, &v->core->literals[literal].before);
	}
	return 1;
}
