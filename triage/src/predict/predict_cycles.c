/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict_cycles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict_words.h"
#include "vtb/array.h"
#include "vtb/lockorder.h"
#include "vtb/words.h"

/* From the lock with the least name on, so that it does not matter where the search for circles began. */
static size_t start_of(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c)
{
	size_t best = 0;

	for (size_t i = 1; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = &lo->edges[c->edges[i]], *least = &lo->edges[c->edges[best]];

		if (strcmp(vtb_variable_name(&trace->tab, e->held), vtb_variable_name(&trace->tab, least->held)) < 0)
			best = i;
	}
	return best;
}

static const struct vtb_lock_edge *edge_of(const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c, size_t i)
{
	return &lo->edges[c->edges[i % c->n_edges]];
}

static int cycle_key(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                     char **ret)
{
	const size_t start = start_of(trace, lo, c);
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	fputs("lock-cycle", to);
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = edge_of(lo, c, start + i);

		fputc(i ? ',' : ':', to);
		vtb_predict_put_variable(to, &trace->tab, e->held);
		vtb_predict_put_site(to, &trace->tab, e->held_site);
		vtb_predict_put_site(to, &trace->tab, e->wanted_site);
	}
	return vtb_predict_close_text(to, ret);
}

static int cycle_text(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                      char **ret)
{
	const size_t start = start_of(trace, lo, c);
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = edge_of(lo, c, start + i);
		char name[160], place[160];

		fprintf(to, "%s%s takes %s", i ? "; " : "locks in a circle: ", vtb_thread_path(&trace->tab, e->thread),
		        vtb_words_variable(&trace->tab, e->wanted, name, sizeof(name)));
		fprintf(to, " at %s", vtb_words_place(&trace->tab, e->wanted_site, place, sizeof(place)));
		fprintf(to, " while it holds %s", vtb_words_variable(&trace->tab, e->held, name, sizeof(name)));
		fprintf(to, " since %s", vtb_words_place(&trace->tab, e->held_site, place, sizeof(place)));
	}
	return vtb_predict_close_text(to, ret);
}

static int fill_cycle(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                      struct vtb_suspicion *s)
{
	const size_t start = start_of(trace, lo, c);

	s->variable = strdup(vtb_variable_name(&trace->tab, edge_of(lo, c, start)->held));
	if (!s->variable || cycle_text(trace, lo, c, &s->text) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = edge_of(lo, c, start + i);
		char what[200], name[160];

		snprintf(what, sizeof(what), "takes %s", vtb_words_variable(&trace->tab, e->held, name, sizeof(name)));
		if (vtb_predict_add_place(s, &trace->tab, &trace->events[e->held_event], what) < 0)
			return -ENOMEM;
		snprintf(what, sizeof(what), "asks for %s",
		         vtb_words_variable(&trace->tab, e->wanted, name, sizeof(name)));
		if (vtb_predict_add_place(s, &trace->tab, &trace->events[e->wanted_event], what) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Which operation of its thread event `at` is. */
static struct vtb_op operation(const struct vtb_trace *trace, size_t at)
{
	struct vtb_op op = { .thread = trace->events[at].thread, .name.site = VTB_NONE };

	for (size_t i = 0; i <= at; i++)
		op.index += trace->events[i].thread == op.thread && trace->events[i].kind != VTB_E_LOST;
	return op;
}

static int make_schedule(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                         struct vtb_schedule *ret)
{
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_edges; i++) {
		const struct vtb_lock_edge *wants = edge_of(lo, c, i), *holds = edge_of(lo, c, i + 1);

		r = vtb_schedule_constrain(&s, operation(trace, holds->held_event),
		                           operation(trace, wants->wanted_event));
	}
	if (r < 0)
		vtb_schedule_fini(&s);
	else
		*ret = s;
	return r;
}

static bool known_cycle(const struct vtb_predictions *p, const char *key)
{
	for (size_t i = 0; i < p->n_cycles; i++)
		if (strcmp(p->cycles[i].suspicion.key, key) == 0)
			return true;
	return false;
}

void vtb_predicted_cycle_fini(struct vtb_predicted_cycle *c)
{
	vtb_suspicion_fini(&c->suspicion);
	vtb_schedule_fini(&c->schedule);
}

static int take_cycle(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_lockorder *lo,
                      const struct vtb_lock_cycle *c)
{
	struct vtb_predicted_cycle fresh = { .suspicion.kind = VTB_SUSPECT_LOCK_CYCLE };
	int r = cycle_key(trace, lo, c, &fresh.suspicion.key);

	if (r == 0 && p->n_cycles >= VTB_PREDICT_CYCLES)
		p->full = true;
	if (r < 0 || p->full || known_cycle(p, fresh.suspicion.key)) {
		vtb_predicted_cycle_fini(&fresh);
		return r;
	}
	r = fill_cycle(trace, lo, c, &fresh.suspicion);
	if (r == 0)
		r = make_schedule(trace, lo, c, &fresh.schedule);
	if (r == 0 && p->stem)
		vtb_stem_lengthen(p->stem, &fresh.schedule);
	if (r == 0)
		r = vtb_array_room(p, cycles);
	if (r < 0)
		vtb_predicted_cycle_fini(&fresh);
	else
		p->cycles[p->n_cycles++] = fresh;
	return r;
}

int vtb_predict_cycles(struct vtb_predictions *p, const struct vtb_trace *trace)
{
	struct vtb_lockorder lo;
	int r = vtb_lockorder_of(trace, &lo);

	if (r < 0)
		return r;
	p->full |= lo.truncated;
	for (size_t i = 0; r == 0 && i < lo.n_cycles; i++)
		if (lo.cycles[i].state == VTB_CYCLE_POSSIBLE &&
		    lo.cycles[i].n_edges > 1) /* alone: a deadlock that needs no prediction */
			r = take_cycle(p, trace, &lo, &lo.cycles[i]);
	vtb_lockorder_fini(&lo);
	return r;
}
