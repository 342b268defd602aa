/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Candidates as they are met: what is kept, in which order, and how much of each is a guess. */
#include <errno.h>
#include <stdlib.h>

#include "synth_priv.h"
#include "vtb/array.h"
#include "vtb/mazurkiewicz.h"

static void candidate_fini(struct vtb_candidate *c)
{
	vtb_schedule_fini(&c->schedule);
	free(c->where);
	free(c->why);
}

/* Observed first, then what keeps the log; fewer guesses; l, c, v; what reorders something; t; score; first come. */
static int compare(const void *a, const void *b)
{
	const struct vtb_candidate *x = a, *y = b;
	const uint64_t xs[] = {
		!x->observed,        !x->consistent, x->guesses,          x->schedule.tuple.l, x->schedule.tuple.c,
		x->schedule.tuple.v, !x->score,      x->schedule.tuple.t, ~x->score,           x->number
	};
	const uint64_t ys[] = {
		!y->observed,        !y->consistent, y->guesses,          y->schedule.tuple.l, y->schedule.tuple.c,
		y->schedule.tuple.v, !y->score,      y->schedule.tuple.t, ~y->score,           y->number
	};

	for (size_t i = 0; i < sizeof(xs) / sizeof(xs[0]); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? -1 : 1;
	return 0;
}

void synth_keep_first(struct vtb_synth *s, size_t n)
{
	while (s->n_candidates > n)
		candidate_fini(&s->candidates[--s->n_candidates]);
}

static void keep_best(struct vtb_synth *s, size_t top)
{
	if (s->n_candidates)
		qsort(s->candidates, s->n_candidates, sizeof(*s->candidates), compare);
	synth_keep_first(s, top);
}

void synth_keep_best(struct vtb_synth *s, size_t top)
{
	size_t sure = 0, most;

	keep_best(s, top);
	while (sure < s->n_candidates && !s->candidates[sure].guesses)
		sure++;
	most = sure + (sure / 4 > VTB_SYNTH_GUESSES ? sure / 4 : VTB_SYNTH_GUESSES);
	synth_keep_first(s, most);
}

int synth_keep(struct synthesis *y, struct vtb_candidate *c)
{
	struct vtb_synth *ret = y->ret;

	if (vtb_array_room(ret, candidates) < 0) {
		candidate_fini(c);
		return -ENOMEM;
	}
	ret->candidates[ret->n_candidates++] = *c;
	ret->met++;
	if (ret->n_candidates > 4 * y->opts.top + 64)
		keep_best(ret, y->opts.top);
	return 0;
}

/* A circle of lock owners counts more than any reordering, an intrusion more than any number of flips. */
uint64_t synth_score(const struct vtb_reordering *reordering, bool deadlock)
{
	const uint64_t intrusions = reordering->intrusions < 0xfffff ? reordering->intrusions : 0xfffff;
	const uint64_t flips = reordering->flips < 0xfffff ? reordering->flips : 0xfffff;

	return (uint64_t)deadlock << 40 | intrusions << 20 | flips;
}

/* A thread that a constraint holds back is not preempted; what the order would cost without constraints is its tuple.
 */
static int tuple_of(struct synthesis *y, const struct vtb_schedule *s, const struct vtb_exec *x, struct vtb_tuple *ret)
{
	struct vtb_schedule free_of_constraints;
	const struct vtb_schedule *pointer = &free_of_constraints;
	struct vtb_exec again = { 0 };
	int r;

	*ret = vtb_exec_tuple(x);
	if (!s->n_constraints)
		return 0;
	r = vtb_exec_schedule(x, &free_of_constraints);
	if (r >= 0)
		r = vtb_runner_run(y->runner, &pointer, 1, &again, NULL);
	if (r >= 0)
		*ret = vtb_exec_tuple(&again);
	vtb_exec_fini(&again);
	vtb_schedule_fini(&free_of_constraints);
	return r;
}

int synth_add(struct synthesis *y, const struct vtb_schedule *s, const struct vtb_exec *x, bool observed,
              uint32_t guesses)
{
	struct vtb_candidate c = { .observed = observed,
		                   .consistent = observed || y->consistent,
		                   .guesses = guesses,
		                   .deadlock = x->outcome.verdict == VTB_V_DEADLOCK,
		                   .number = y->ret->met };
	struct vtb_reordering reordering;
	const uint32_t loop = s->tuple.l;
	int r = vtb_reordering_of(&y->reference, x, &reordering);

	if (r >= 0)
		r = vtb_schedule_copy(s, &c.schedule);
	for (size_t i = 0; r >= 0 && !observed && y->consistent && i < y->log.n_constraints; i++)
		r = vtb_schedule_constrain(&c.schedule, y->log.constraints[i].before, y->log.constraints[i].after);
	if (r >= 0)
		r = tuple_of(y, &c.schedule, x, &c.schedule.tuple);
	if (r < 0) {
		candidate_fini(&c);
		return r;
	}
	c.schedule.tuple.l = loop;
	c.schedule.tuple.t = reordering.threads < 2 ? 2 : reordering.threads;
	c.score = synth_score(&reordering, c.deadlock);
	return synth_keep(y, &c);
}

int synth_meet_class(struct synthesis *y, const struct vtb_event *events, size_t n)
{
	struct vtb_mazurkiewicz *order;
	uint64_t *met = NULL;
	int r = vtb_mazurkiewicz_new(&y->trace->tab, &order);

	if (r < 0)
		return r;
	vtb_mazurkiewicz_begin(order);
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (events[i].kind != VTB_E_FAIL)
			r = vtb_mazurkiewicz_feed(order, &events[i], NULL);
	if (r >= 0)
		r = vtb_bounded_map_add(&y->classes, vtb_class_id(vtb_mazurkiewicz_fingerprint(order)), 0, &met);
	vtb_mazurkiewicz_free(order);
	return r < 0 ? r : !met;
}

/* The same with no deviation after what nobody can foresee: the run is free from there on. */
static int add_free(struct synthesis *y, const struct vtb_schedule *s, size_t n_deviations)
{
	struct vtb_schedule shorter;
	const struct vtb_schedule *pointer = &shorter;
	struct vtb_exec x = { 0 };
	int r = vtb_schedule_copy(s, &shorter);

	if (r < 0)
		return r;
	shorter.n_deviations = n_deviations;
	r = vtb_runner_run(y->runner, &pointer, 1, &x, NULL);
	if (r >= 0)
		r = synth_meet_class(y, x.events, x.n_events);
	if (r > 0)
		r = synth_add(y, &shorter, &x, false, 0);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&shorter);
	return r < 0 ? r : 0;
}

/* A walk's seed means nothing to the real program: what it led to is the candidate. */
int synth_add_class(struct synthesis *y, const struct vtb_schedule *s, const struct vtb_exec *x)
{
	struct vtb_schedule explicit;
	size_t foreseen;
	int r = s->policy >= VTB_SCHEDULE_RANDOM ? vtb_exec_schedule(x, &explicit) : vtb_schedule_copy(s, &explicit);

	if (r < 0)
		return r;
	foreseen = y->consistent ? explicit.n_deviations
	                         : vtb_foresight_deviations(vtb_foresight_of(y->foresight, x), &explicit);
	if (foreseen < explicit.n_deviations)
		r = add_free(y, &explicit, foreseen);
	if (r >= 0)
		r = synth_add(y, &explicit, x, false, (uint32_t)(explicit.n_deviations - foreseen));
	vtb_schedule_fini(&explicit);
	return r;
}
