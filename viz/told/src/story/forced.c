/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "forced.h"

#include <stdlib.h>
#include <string.h>

#include "meetings.h"
#include "vtb/classify.h"

/* The k-th creation of a thread makes its k-th child: holds even where thread handles have no names. */
static uint32_t created(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t at)
{
	uint32_t nth = 0;

	for (size_t i = 0; i < at; i++)
		nth += x->events[i].kind == VTB_E_THREAD_CREATE && x->events[i].thread == x->events[at].thread;
	for (uint32_t t = 0; t < tab->n_threads; t++)
		if (tab->threads[t].parent == x->events[at].thread && tab->threads[t].nth == nth)
			return t;
	return VTB_NONE;
}

static uint32_t handle_of(const struct vtb_event *e, const struct vtb_symtab *tab)
{
	if (e->var >= tab->n_variables || tab->variables[e->var].object >= tab->n_objects)
		return VTB_NONE;
	return tab->objects[tab->variables[e->var].object].kind == VTB_OBJ_THREAD
	           ? tab->objects[tab->variables[e->var].object].thread
	           : VTB_NONE;
}

uint32_t vtb_classify_other(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t at)
{
	const uint32_t t = handle_of(&x->events[at], tab);

	return t == VTB_NONE && x->events[at].kind == VTB_E_THREAD_CREATE ? created(x, tab, at) : t;
}

static bool forces(const struct vtb_event *e)
{
	return e->kind == VTB_E_THREAD_CREATE || e->kind == VTB_E_THREAD_JOIN || e->kind == VTB_E_BARRIER_ARRIVE ||
	       e->kind == VTB_E_BARRIER_LEAVE;
}

void vtb_forced_init(struct vtb_forced *f, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n += forces(&x->events[i]);
	*f = (struct vtb_forced){ .x = x, .tab = tab };
	f->at = malloc((n + 1) * sizeof(*f->at));
	f->other = malloc((n + 1) * sizeof(*f->other));
	f->reached = malloc((tab->n_threads + 1) * sizeof(*f->reached));
	for (size_t i = 0; f->at && f->other && i < x->n_events; i++) {
		const bool thread = x->events[i].kind == VTB_E_THREAD_CREATE || x->events[i].kind == VTB_E_THREAD_JOIN;

		if (!forces(&x->events[i]))
			continue;
		f->other[f->n] = thread ? vtb_classify_other(x, tab, i) : VTB_NONE;
		f->at[f->n++] = (uint32_t)i;
	}
}

void vtb_forced_fini(struct vtb_forced *f)
{
	free(f->at);
	free(f->other);
	free(f->reached);
	*f = (struct vtb_forced){ 0 };
}

/* Spread "comes after a" along the operation number k: creation, join or barrier. A thread is reached from its next
 * event on. */
static void spread(struct vtb_forced *f, struct vtb_meetings *meetings, size_t a, size_t k)
{
	const struct vtb_event *e = &f->x->events[f->at[k]];
	const uint32_t other = f->other[k];

	if (e->thread >= f->tab->n_threads)
		return;
	f->reached[e->thread] |= vtb_meetings_feed(meetings, e, f->at[k] > a && f->reached[e->thread]);
	if (f->at[k] <= a || other >= f->tab->n_threads)
		return;
	if (e->kind == VTB_E_THREAD_CREATE)
		f->reached[other] |= f->reached[e->thread];
	else
		f->reached[e->thread] |= f->reached[other];
}

bool vtb_forced_is(struct vtb_forced *f, size_t a, size_t b)
{
	struct vtb_meetings meetings = { 0 };

	if (!f->at || !f->other || !f->reached || a >= b || b >= f->x->n_events ||
	    f->x->events[a].thread >= f->tab->n_threads || f->x->events[b].thread >= f->tab->n_threads)
		return false;
	memset(f->reached, 0, (f->tab->n_threads + 1) * sizeof(*f->reached));
	f->reached[f->x->events[a].thread] = true;
	for (size_t k = 0; k < f->n && f->at[k] <= b; k++)
		spread(f, &meetings, a, k);
	vtb_meetings_fini(&meetings);
	return f->reached[f->x->events[b].thread];
}

bool vtb_classify_forced(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t a, size_t b)
{
	struct vtb_forced f;
	bool forced;

	vtb_forced_init(&f, x, tab);
	forced = vtb_forced_is(&f, a, b);
	vtb_forced_fini(&f);
	return forced;
}
