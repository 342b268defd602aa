/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"
#include "varset.h"
#include "vtb/array.h"

void vtb_schedule_fini(struct vtb_schedule *s)
{
	free(s->ranks);
	free(s->deviations);
	free(s->constraints);
	free(s->weights);
	free(s->interesting);
	free(s->reorders);
	free(s->note);
	*s = (struct vtb_schedule){ 0 };
}

int vtb_schedule_copy(const struct vtb_schedule *s, struct vtb_schedule *ret)
{
	struct vtb_schedule copy = *s;

	copy.ranks = NULL;
	copy.deviations = NULL;
	copy.constraints = NULL;
	copy.weights = NULL;
	copy.interesting = NULL;
	copy.reorders = NULL;
	copy.note = s->note ? strdup(s->note) : NULL;
	if ((s->note && !copy.note) || vtb_array_copy(s->ranks, s->n_ranks, sizeof(*s->ranks), &copy.ranks) < 0 ||
	    vtb_array_copy(s->deviations, s->n_deviations, sizeof(*s->deviations), &copy.deviations) < 0 ||
	    vtb_array_copy(s->constraints, s->n_constraints, sizeof(*s->constraints), &copy.constraints) < 0 ||
	    vtb_array_copy(s->weights, s->n_weights, sizeof(*s->weights), &copy.weights) < 0 ||
	    vtb_array_copy(s->interesting, s->n_interesting, sizeof(*s->interesting), &copy.interesting) < 0 ||
	    vtb_array_copy(s->reorders, s->n_reorders, sizeof(*s->reorders), &copy.reorders) < 0) {
		vtb_schedule_fini(&copy);
		*ret = copy;
		return -ENOMEM;
	}
	copy.cap_ranks = copy.n_ranks;
	copy.cap_deviations = copy.n_deviations;
	copy.cap_constraints = copy.n_constraints;
	copy.cap_weights = copy.n_weights;
	copy.cap_interesting = copy.n_interesting;
	copy.cap_reorders = copy.n_reorders;
	*ret = copy;
	return 0;
}

int vtb_schedule_deviate(struct vtb_schedule *s, uint32_t thread, uint32_t index, enum vtb_deviation_kind kind,
                         uint32_t target, uint32_t var, uint32_t cost)
{
	if (vtb_array_room(s, deviations) < 0)
		return -ENOMEM;
	s->deviations[s->n_deviations++] = (struct vtb_deviation){
		.after = { .thread = thread, .index = index, .name = { .site = VTB_NONE } },
		.kind = kind,
		.target = target,
		.var = var,
		.cost = cost,
	};
	return 0;
}

int vtb_schedule_constrain(struct vtb_schedule *s, struct vtb_op before, struct vtb_op after)
{
	if (vtb_array_room(s, constraints) < 0)
		return -ENOMEM;
	s->constraints[s->n_constraints++] = (struct vtb_constraint){ .before = before, .after = after };
	return 0;
}

int vtb_schedule_constrain_while(struct vtb_schedule *s, struct vtb_op before, struct vtb_op after)
{
	const int r = vtb_schedule_constrain(s, before, after);

	if (r >= 0)
		s->constraints[s->n_constraints - 1].lapses = true;
	return r;
}

struct vtb_tuple vtb_schedule_tuple(const struct vtb_schedule *s)
{
	struct vtb_tuple tuple = { 0 };
	struct vtb_varset vars = { 0 };

	for (size_t i = 0; i < s->n_deviations; i++) {
		const struct vtb_deviation *d = &s->deviations[i];

		tuple.c += d->cost;
		if (d->cost)
			vtb_varset_add(&vars, d->kind == VTB_DEV_TIMEOUT || d->kind == VTB_DEV_SIGNAL ? VTB_VARSET_CLOCK
			                                                                              : d->var);
	}
	tuple.v = vtb_varset_count(&vars);
	vtb_varset_fini(&vars);
	return tuple;
}

void vtb_schedules_fini(struct vtb_schedules *s)
{
	for (size_t i = 0; i < s->n_schedules; i++)
		vtb_schedule_fini(&s->schedules[i]);
	free(s->schedules);
	vtb_argv_free(s->argv);
	free(s->cwd);
	vtb_symtab_fini(&s->tab);
	*s = (struct vtb_schedules){ 0 };
}
