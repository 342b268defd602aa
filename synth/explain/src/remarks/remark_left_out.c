/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread ends as soon as it is told to, and does not look at what is left for it to do. */
#include "remarks.h"

#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "vtb/short_name.h"

struct left {
	size_t reads;  /* in the run that passes: where the thread looks, */
	size_t writes; /* ... at what another has written there */
	size_t put;    /* in the run that fails: what was written so, and nobody looks at */
};

static bool does(const struct vtb_exec *x, uint32_t thread, const struct vtb_event *like)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == thread && x->events[i].site == like->site && x->events[i].kind == like->kind)
			return true;
	return false;
}

static bool has_ended(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].thread == thread)
			return x->events[i].kind == VTB_E_THREAD_END;
	return false;
}

static bool others_look(const struct vtb_exec *x, size_t at)
{
	for (size_t i = at + 1; i < x->n_events; i++)
		if (x->events[i].thread != x->events[at].thread && vtb_event_is(&x->events[i], VTB_EV_READS) &&
		    core_is_access(x->events[i].kind) && vtb_event_overlap(&x->events[i], &x->events[at]))
			return true;
	return false;
}

/* The last write of that memory before event `read`, if another thread has made it since this one was made: what is
 * older is how things are to begin with, and no work for it. */
static size_t written(const struct vtb_symtab *tab, const struct vtb_exec *x, size_t read)
{
	const uint32_t reader = x->events[read].thread;
	const size_t first = core_birth_of(tab, x, reader);

	for (size_t i = read; i-- > first;)
		if (core_is_access(x->events[i].kind) && vtb_event_is(&x->events[i], VTB_EV_WRITES) &&
		    vtb_event_overlap(&x->events[i], &x->events[read]))
			return x->events[i].thread != reader ? i : VTB_EVENT_NONE;
	return VTB_EVENT_NONE;
}

/* What is written by that site of that thread since `reader` was made, and left. */
static size_t unseen(const struct vtb_symtab *tab, const struct vtb_exec *x, uint32_t reader, uint32_t writer,
                     uint32_t site)
{
	for (size_t i = core_birth_of(tab, x, reader); i < x->n_events; i++)
		if (x->events[i].thread == writer && x->events[i].site == site &&
		    vtb_event_is(&x->events[i], VTB_EV_WRITES) && core_is_access(x->events[i].kind) &&
		    !others_look(x, i))
			return i;
	return VTB_EVENT_NONE;
}

static bool find(const struct vtb_core_view *v, const struct vtb_order_literal *l, struct left *ret)
{
	const struct vtb_exec *x = v->passing, *failing = &v->core->exec;

	if (!core_writes(&l->before) || !core_reads(&l->after) || !has_ended(failing, l->after.thread))
		return false;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != l->after.thread || e->kind != VTB_E_READ || e->var == VTB_NONE ||
		    e->var == l->after.var || does(failing, e->thread, e))
			continue;
		ret->reads = i;
		ret->writes = written(v->tab, x, i);
		ret->put = ret->writes == VTB_EVENT_NONE
		               ? VTB_EVENT_NONE
		               : unseen(v->tab, failing, e->thread, x->events[ret->writes].thread,
		                        x->events[ret->writes].site);
		if (ret->put != VTB_EVENT_NONE)
			return true;
	}
	return false;
}

static const char *place(const struct vtb_core_view *v, const struct vtb_exec *x, const struct vtb_core_op *op,
                         char *buf, size_t size)
{
	return vtb_site_place(v->tab, remark_site(v, op, x), buf, size);
}

static void say(const struct vtb_core_view *v, const struct vtb_order_literal *l, const struct left *left, char *buf,
                size_t size)
{
	const struct vtb_core_op reads = core_op_at(v->passing, left->reads),
	                         put = core_op_at(&v->core->exec, left->put);
	const struct vtb_exec *failing = &v->core->exec;
	char told[300], work[300], sets[300], sees[300], looks[300], puts[300], there[320] = "";
	const char *ends = vtb_thread_path(v->tab, l->after.thread), *tells = vtb_thread_path(v->tab, l->before.thread);

	place(v, failing, &l->after, sees, sizeof(sees));
	place(v, v->passing, &reads, looks, sizeof(looks));
	if (strcmp(looks, sees) != 0) /* a line that calls a function which does both is where it is already */
		snprintf(there, sizeof(there), "%s, ", looks);
	snprintf(buf, size,
	         "%s ends once it has read %s at %s, which %s writes at %s, and leaves what %s has put at %s: it does "
	         "not come to %swhere it looks at %s in a run that passes. Let it look there first, and end only when "
	         "nothing is left",
	         ends, vtb_told_variable(v->tab, l->after.var, told, sizeof(told)), sees, tells,
	         place(v, failing, &l->before, sets, sizeof(sets)), vtb_thread_path(v->tab, put.thread),
	         place(v, failing, &put, puts, sizeof(puts)), there,
	         vtb_told_variable(v->tab, reads.var, work, sizeof(work)));
}

void remark_left_out(const struct vtb_core_view *v, char *buf, size_t size)
{
	struct left left;

	for (size_t i = 0; v->passing && i < v->core->n_literals; i++)
		if (find(v, &v->core->literals[i], &left)) {
			say(v, &v->core->literals[i], &left, buf, size);
			return;
		}
}
