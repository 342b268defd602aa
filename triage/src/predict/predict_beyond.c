/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict_beyond.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large_spans.h"
#include "vtb/races.h"

#define SORTED 8u /* steps for a large access to be sorted in, by both ends */

/* ---- orders that no interleaving shows */

/* Places of what was found, in p->weak_at. */
static void name_weak(struct vtb_predictions *p, const struct vtb_symtab *tab, const struct vtb_weak_orders *found)
{
	char text[4][120];

	for (size_t i = 0; i < 2 && p->weak != VTB_WEAK_UNSEEN; i++) {
		vtb_site_place(tab, found->first[i], text[2 * i], sizeof(text[0]));
		vtb_site_place(tab, found->then[i], text[2 * i + 1], sizeof(text[0]));
	}
	if (p->weak == VTB_WEAK_TWO)
		snprintf(p->weak_at, sizeof(p->weak_at), "%s before %s, and %s before %s", text[0], text[1], text[2],
		         text[3]);
	else if (p->weak == VTB_WEAK_MANY)
		snprintf(p->weak_at, sizeof(p->weak_at), "%s and %s", text[0], text[1]);
}

int vtb_predict_reword_weak(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	uint64_t steps = VTB_PREDICT_WEAK_STEPS;
	struct vtb_weak_orders found;
	const int r = vtb_weak_orders_of(tab, x->events, x->n_events, &steps, &found);

	if (r == (int)p->weak)
		name_weak(p, tab, &found);
	return r < 0 ? r : 0;
}

static int look_at_orders(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	uint64_t steps = VTB_PREDICT_WEAK_STEPS - p->weak_steps;
	struct vtb_weak_orders found = { 0 };
	int r = vtb_weak_orders_of(tab, x->events, x->n_events, &steps, &found);

	p->weak_steps = VTB_PREDICT_WEAK_STEPS - steps;
	if (r <= VTB_WEAK_NONE || (p->weak == VTB_WEAK_MANY && r != VTB_WEAK_TWO))
		return r < 0 ? r : 0;
	p->weak = (enum vtb_weak)r;
	name_weak(p, tab, &found);
	if (r == VTB_WEAK_UNSEEN)
		return 0;
	r = vtb_exec_schedule(x, &p->weak_run);
	if (r >= 0 && p->stem)
		vtb_stem_lengthen(p->stem, &p->weak_run);
	return r < 0 ? r : 0;
}

/* ---- accesses that another thread may come into */

static bool any_may_tear(const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (vtb_large_is(&x->events[i]))
			return true;
	return false;
}

/* Does another thread touch what one has in a large access? Without a step left p->torn_unseen is set. */
static bool is_met(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_large_spans *large)
{
	bool met = false;

	p->torn_steps += x->n_events + SORTED * large->accesses;
	p->torn_unseen = p->torn_steps > VTB_PREDICT_TORN_STEPS;
	for (size_t i = 0; i < x->n_events && !p->torn_unseen && !met; i++)
		met = vtb_large_spans_touched(large, &x->events[i], true);
	return met;
}

/* The run without plain accesses to other words: what comes before what does not go by them. NULL: no memory. */
static struct vtb_event *without_others(const struct vtb_exec *x, const struct vtb_large_spans *large, size_t *ret_n)
{
	struct vtb_event *events = calloc(x->n_events + 1, sizeof(*events));
	size_t n = 0;

	for (size_t i = 0; events && i < x->n_events; i++)
		if (!vtb_large_is_plain(&x->events[i]) || vtb_large_spans_touched(large, &x->events[i], false))
			events[n++] = x->events[i];
	*ret_n = n;
	return events;
}

/* The first race of a large access gives its name. */
static int name_torn(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_large_spans *large,
                     const struct vtb_symtab *tab)
{
	struct vtb_trace trace = { .tab = *tab, .order = VTB_ORDER_TOTAL };
	struct vtb_races races = { 0 };
	int r;

	trace.events = without_others(x, large, &trace.n_events);
	r = trace.events ? vtb_races_of(&trace, &races) : -ENOMEM;
	p->torn_steps += x->n_events + 10 * trace.n_events; /* it takes that much longer */
	for (size_t i = 0; r >= 0 && i < races.n_races && !*p->torn; i++) {
		const struct vtb_race *race = &races.races[i];
		const char *name = race->var < tab->n_variables ? vtb_variable_name(tab, race->var) : "";

		if (vtb_large_is(&trace.events[race->events[0]]) || vtb_large_is(&trace.events[race->events[1]]))
			snprintf(p->torn, sizeof(p->torn), "%s", *name ? name : "memory without a name");
	}
	vtb_races_fini(&races);
	free(trace.events);
	return r < 0 ? r : 0;
}

static int look_at_large(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	struct vtb_large_spans large;
	int r = vtb_large_spans_of(x, &large);

	if (r >= 0 && is_met(p, x, &large))
		r = name_torn(p, x, &large, tab);
	vtb_large_spans_fini(&large);
	return r;
}

/* ---- both */

/* Of one class one run is enough. 1: it is the first of its class, 0, or -ENOMEM. */
static int is_first_of(struct vtb_predictions *p, uint64_t class_id)
{
	return vtb_map64_at(&p->beyond_classes, class_id)           ? 0
	       : vtb_map64_set(&p->beyond_classes, class_id, 1) < 0 ? -ENOMEM
	                                                            : 1;
}

int vtb_predict_beyond(struct vtb_predictions *p, const struct vtb_exec *x, uint64_t class_id,
                       const struct vtb_symtab *tab)
{
	const bool weak = p->weak != VTB_WEAK_TWO && p->weak != VTB_WEAK_UNSEEN &&
	                  vtb_weak_orders_any(x->events, x->n_events),
	           large = !*p->torn && !p->torn_unseen && any_may_tear(x);
	int r = weak || large ? is_first_of(p, class_id) : 0;

	p->weak_seen |= weak;
	p->large_seen |= large;
	if (r <= 0)
		return r;
	r = weak ? look_at_orders(p, x, tab) : 0;
	if (r >= 0 && large)
		r = look_at_large(p, x, tab);
	return r;
}
