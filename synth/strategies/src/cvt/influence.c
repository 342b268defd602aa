/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "influence.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

#define SEVERAL (VTB_NONE - 1)

struct vtb_influence_join {
	uint32_t by, at; /* VTB_NONE: by nobody */
};

struct later {
	uint32_t by, at; /* this thread, first in event `at`; several threads: SEVERAL; VTB_NONE: nobody */
};

struct vtb_influence_var {
	uint32_t run;
	struct later touched, written;
};

#define NOBODY ((struct later){ VTB_NONE, VTB_NONE })

void vtb_influence_fini(struct vtb_influence *n)
{
	free(n->last);
	free(n->vars);
	free(n->joins);
	*n = (struct vtb_influence){ 0 };
}

static int room_for_thread(struct vtb_influence *n, uint32_t thread)
{
	const int r = vtb_array_extend(n, joins, (size_t)thread + 1, (struct vtb_influence_join){ VTB_NONE, VTB_NONE });

	return r < 0 ? r : vtb_array_extend(n, last, (size_t)thread + 1, VTB_NONE);
}

/* Does an operation of the thread come before one of another that need not come after it? */
static bool before_another(const struct vtb_influence *n, const struct later *l, uint32_t thread)
{
	const struct vtb_influence_join *join = &n->joins[thread];

	return l->by != VTB_NONE && l->by != thread && !(l->by == join->by && l->at > join->at);
}

static void note(struct later *l, uint32_t thread, uint32_t i)
{
	l->by = l->by == VTB_NONE || l->by == thread ? thread : SEVERAL;
	l->at = i;
}

static int look_at(struct vtb_influence *n, const struct vtb_event *e, uint32_t var, uint32_t i)
{
	struct vtb_influence_var *v;
	const enum vtb_family family = vtb_event_info(e->kind)->family;
	const bool writes =
	    vtb_event_is(e, VTB_EV_WRITES) || (family != VTB_FAMILY_MEMORY && family != VTB_FAMILY_ATOMIC);

	if (var >= n->n_vars && vtb_array_extend(n, vars, (size_t)var + 1, (struct vtb_influence_var){ .run = 0 }) < 0)
		return -ENOMEM;
	v = &n->vars[var];
	if (v->run != n->run)
		*v = (struct vtb_influence_var){ .run = n->run, .touched = NOBODY, .written = NOBODY };
	if (n->last[e->thread] == VTB_NONE && before_another(n, writes ? &v->touched : &v->written, e->thread))
		n->last[e->thread] = i;
	note(&v->touched, e->thread, i);
	if (writes)
		note(&v->written, e->thread, i);
	return 0;
}

/* The end of the process cuts short whoever is not done: everybody's operations come before it. */
static int look_at_all(struct vtb_influence *n, const struct vtb_event *e, uint32_t i, struct later *end)
{
	const bool two = e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE; /* the condition and its mutex */
	int r = e->thread < n->n_last ? 0 : room_for_thread(n, e->thread);

	if (r < 0)
		return r;
	if (e->kind == VTB_E_PROCESS_EXIT)
		note(end, e->thread, i);
	else if (n->last[e->thread] == VTB_NONE && before_another(n, end, e->thread))
		n->last[e->thread] = i;
	if (vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
		return 0;
	r = e->var == VTB_NONE ? 0 : look_at(n, e, e->var, i);
	return r < 0 || !two || e->aux == VTB_NONE ? r : look_at(n, e, e->aux, i);
}

static int note_join(struct vtb_influence *n, const struct vtb_event *e, uint32_t i, const struct vtb_symtab *tab)
{
	const uint32_t object = e->var < tab->n_variables ? tab->variables[e->var].object : VTB_NONE;
	const uint32_t joined = object < tab->n_objects && tab->objects[object].kind == VTB_OBJ_THREAD
	                            ? tab->objects[object].thread
	                            : VTB_NONE;

	if (joined == VTB_NONE)
		return 0;
	if (room_for_thread(n, joined) < 0)
		return -ENOMEM;
	n->joins[joined] = (struct vtb_influence_join){ e->thread, i };
	return 0;
}

static int begin(struct vtb_influence *n, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	int r = 0;

	n->run++;
	for (size_t t = 0; t < n->n_last; t++) {
		n->last[t] = VTB_NONE;
		n->joins[t] = (struct vtb_influence_join){ VTB_NONE, VTB_NONE };
	}
	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_THREAD_JOIN)
			r = note_join(n, &x->events[i], (uint32_t)i, tab);
	return r;
}

/* Whoever ends the process while others live ends what they would still have done. */
static bool somebody_lives(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread != thread)
			return true;
	return false;
}

int vtb_influence_begin(struct vtb_influence *n, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	struct later end = NOBODY;
	int r = begin(n, x, tab);

	for (size_t i = x->n_events; r >= 0 && i-- > 0;)
		if (x->events[i].kind != VTB_E_LOST && x->events[i].kind != VTB_E_FAIL)
			r = look_at_all(n, &x->events[i], (uint32_t)i, &end);
	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_PROCESS_EXIT && somebody_lives(x, x->events[i].thread))
			n->last[x->events[i].thread] = (uint32_t)i;
	return r;
}
