/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surw: selectively uniform random walk (vtb/walk.h). One shared variable is drawn for each schedule; the operations at
 * the places of the program that have touched it are the interesting ones. How many of them a thread does was counted
 * in earlier runs.
 *
 *      With exact counts N_t and nobody waiting for another each order of them has probability N_1! ... N_n! / (N_1 +
 * ... + N_n)!
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chance_draw.h"
#include "vtb/array.h"
#include "vtb/coverage.h"
#include "vtb/rng.h"
#include "vtb/strategy.h"

#define PROFILED 32u /* runs that are all counted; later one in PROFILE_EVERY */
#define PROFILE_EVERY 64u
#define SITES_MAX 32u /* of one variable; more places than that would make a choice slow */

struct site {
	uint32_t *counts; /* by thread: most operations in a run */
	size_t n_counts, cap_counts;
	uint32_t *now; /* in the run being counted */
	size_t n_now, cap_now;
};

struct var {
	uint32_t *sites;
	size_t n_sites, cap_sites;
	bool candidate;
};

struct surw {
	const struct vtb_space *space;
	uint64_t rng, runs;
	struct site *sites;
	size_t n_sites, cap_sites;
	struct var *vars;
	size_t n_vars, cap_vars;
	uint32_t *candidates; /* shared variables with known places */
	size_t n_candidates, cap_candidates;
	struct vtb_chance_draw chances;
};

static int surw_begin(const struct vtb_space *space, void **ret_state)
{
	struct surw *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->space = space;
	s->rng = vtb_mix64(space->opts->seed + 0x73757277);
	vtb_chance_draw_init(&s->chances, space->opts->seed);
	*ret_state = s;
	return 0;
}

/* ---- counting */

static int room(struct surw *s, uint32_t var, uint32_t site)
{
	const int r = vtb_array_extend(s, vars, (size_t)var + 1, (struct var){ 0 });

	return r < 0 ? r : vtb_array_extend(s, sites, (size_t)site + 1, (struct site){ 0 });
}

static int count_at(struct site *site, uint32_t thread)
{
	if (vtb_array_extend(site, counts, (size_t)thread + 1, 0) < 0 ||
	    vtb_array_extend(site, now, (size_t)thread + 1, 0) < 0)
		return -ENOMEM;
	if (++site->now[thread] > site->counts[thread])
		site->counts[thread] = site->now[thread];
	return 0;
}

static int add_place(struct var *v, uint32_t site)
{
	for (size_t i = 0; i < v->n_sites; i++)
		if (v->sites[i] == site)
			return 0;
	if (v->n_sites > SITES_MAX)
		return 0;
	if (vtb_array_room(v, sites) < 0)
		return -ENOMEM;
	v->sites[v->n_sites++] = site;
	return 0;
}

static int learn_candidate(struct surw *s, uint32_t var)
{
	struct var *v = &s->vars[var];

	if (v->candidate || !vtb_coverage_shared(s->space->coverage, var))
		return 0;
	if (vtb_array_room(s, candidates) < 0)
		return -ENOMEM;
	v->candidate = true;
	s->candidates[s->n_candidates++] = var;
	return 0;
}

static int profile(struct surw *s, const struct vtb_exec *x)
{
	int r = 0;

	for (size_t i = 0; i < s->n_sites; i++)
		for (size_t t = 0; t < s->sites[i].n_now; t++)
			s->sites[i].now[t] = 0;
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL || e->var == VTB_NONE || e->site == VTB_NONE)
			continue;
		r = room(s, e->var, e->site);
		if (r >= 0)
			r = count_at(&s->sites[e->site], e->thread);
		if (r >= 0)
			r = add_place(&s->vars[e->var], e->site);
		if (r >= 0)
			r = learn_candidate(s, e->var);
	}
	return r;
}

static bool is_profiled(uint64_t run)
{
	return run <= PROFILED || run % PROFILE_EVERY == 0;
}

static int surw_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct surw *s = state;
	int r = 0;

	(void)new_class;
	if (is_profiled(++s->runs) && !x->brief)
		r = profile(s, x);
	return r < 0 ? r : vtb_chance_draw_learn(&s->chances, ticket, x);
}

/* ---- drawing */

static uint64_t weight_of(const struct surw *s, const struct var *v, uint32_t thread)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < v->n_sites; i++)
		if (thread < s->sites[v->sites[i]].n_counts)
			sum += s->sites[v->sites[i]].counts[thread];
	return sum < UINT32_MAX ? sum : UINT32_MAX;
}

static int set_interest(const struct surw *s, const struct var *v, struct vtb_schedule *schedule)
{
	for (size_t i = 0; i < v->n_sites; i++) {
		if (vtb_array_room(schedule, interesting) < 0)
			return -ENOMEM;
		schedule->interesting[schedule->n_interesting++] = v->sites[i];
	}
	for (uint32_t t = 0; t < s->space->coverage->n_threads; t++) {
		const uint64_t weight = weight_of(s, v, t);

		if (!weight)
			continue;
		if (vtb_array_room(schedule, weights) < 0)
			return -ENOMEM;
		schedule->weights[schedule->n_weights++] = (struct vtb_weight){ t, (uint32_t)weight };
	}
	return 0;
}

static int draw(void *state, struct vtb_plan *plan)
{
	struct surw *s = state;
	struct vtb_schedule *schedule = &plan->schedule;
	const struct var *v;

	schedule->brief &= !is_profiled(s->chances.proposed);
	schedule->policy = VTB_SCHEDULE_RANDOM; /* nothing is known yet, or nothing is shared */
	schedule->seed = vtb_rng_next(&s->rng);
	if (!s->n_candidates)
		return 0;
	v = &s->vars[s->candidates[vtb_rng_below(&s->rng, s->n_candidates)]];
	if (v->n_sites > SITES_MAX)
		return 0;
	schedule->policy = VTB_SCHEDULE_SURW;
	return set_interest(s, v, schedule);
}

static int64_t surw_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct surw *s = state;

	return vtb_chance_draw_batch(&s->chances, plans, s->runs ? max : 1 /* the first run shows what there is */,
	                             draw, s);
}

/* ---- what it can say */

/* Of one order of the operations on the variable: ln of the multinomial's inverse. */
static double ln_chance(const struct surw *s, const struct var *v)
{
	double sum = 0, ln = 0;

	for (uint32_t t = 0; t < s->space->coverage->n_threads; t++) {
		const double n = (double)weight_of(s, v, t);

		ln += lgamma(n + 1);
		sum += n;
	}
	return ln - lgamma(sum + 1);
}

static void surw_claim(const void *state, struct vtb_claim *ret)
{
	const struct surw *s = state;
	double least = 0;

	for (size_t i = 0; i < s->n_candidates; i++) {
		const double ln = ln_chance(s, &s->vars[s->candidates[i]]);

		least = ln < least ? ln : least;
	}
	*ret = (struct vtb_claim){ .probability = s->n_candidates ? exp(least) / (double)s->n_candidates : 0 };
	snprintf(
	    ret->text, sizeof(ret->text),
	    "%llu selectively uniform random schedules (seed %llu); each shows a given order of the operations on one "
	    "of %zu shared variables with probability >= %.3g, where counts were right and no thread had to wait",
	    (unsigned long long)s->chances.proposed, (unsigned long long)s->space->opts->seed, s->n_candidates,
	    ret->probability);
	vtb_chance_draw_claim(&s->chances, ret);
}

static void surw_end(void *state)
{
	struct surw *s = state;

	for (size_t i = 0; i < s->n_sites; i++) {
		free(s->sites[i].counts);
		free(s->sites[i].now);
	}
	for (size_t i = 0; i < s->n_vars; i++)
		free(s->vars[i].sites);
	free(s->sites);
	free(s->vars);
	free(s->candidates);
	vtb_chance_draw_fini(&s->chances);
	free(s);
}

const struct vtb_strategy vtb_strategy_surw = {
	.name = "surw",
	.help = "uniform over the orders of one random variable's operations; prints its probability bound",
	.can = VTB_STRATEGY_BRIEF | VTB_STRATEGY_WALKS,
	.begin = surw_begin,
	.next = surw_next,
	.feedback = surw_feedback,
	.claim = surw_claim,
	.end = surw_end,
};
