/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedules from one table of names into a set with its own. */
#include <errno.h>

#include "schedule_words.h"
#include "vtb/array.h"

static uint32_t known(int64_t id)
{
	return id < 0 ? VTB_NONE : (uint32_t)id;
}

static void move_op(struct vtb_names *names, struct vtb_op *op)
{
	op->thread = known(vtb_names_thread(names, op->thread));
	op->name.function = vtb_names_string(names, op->name.function);
	op->name.file = vtb_names_string(names, op->name.file);
	op->name.variable = vtb_names_string(names, op->name.variable);
	op->name.site = op->name.kind ? known(vtb_names_site(names, op->name.site)) : VTB_NONE;
}

static void move_schedule(struct vtb_names *names, struct vtb_schedule *s)
{
	for (size_t i = 0; i < s->n_ranks; i++)
		if (!(s->ranks[i] & VTB_RANK_FRAGMENT_BIT))
			s->ranks[i] = known(vtb_names_thread(names, s->ranks[i]));
	for (size_t i = 0; i < s->n_deviations; i++) {
		struct vtb_deviation *d = &s->deviations[i];

		move_op(names, &d->after);
		if (vtb_deviation_targets_thread(d->kind))
			d->target = known(vtb_names_thread(names, d->target));
		d->var = known(vtb_names_variable(names, d->var));
	}
	for (size_t i = 0; i < s->n_constraints; i++) {
		move_op(names, &s->constraints[i].before);
		move_op(names, &s->constraints[i].after);
	}
	for (size_t i = 0; i < s->n_reorders; i++) {
		move_op(names, &s->reorders[i].first);
		move_op(names, &s->reorders[i].second);
		s->reorders[i].var = known(vtb_names_variable(names, s->reorders[i].var));
	}
}

int vtb_schedules_add_from(struct vtb_schedules *set, const struct vtb_schedule *s, struct vtb_names *names)
{
	struct vtb_schedule copy;
	int r = vtb_schedule_copy(s, &copy);

	VTB_ASSERT(names->to == &set->tab);
	if (r < 0)
		return r;
	move_schedule(names, &copy);
	r = names->status < 0 ? names->status : vtb_array_room(set, schedules);
	if (r < 0) {
		vtb_schedule_fini(&copy);
		return r;
	}
	set->schedules[set->n_schedules++] = copy;
	return 0;
}

int vtb_schedules_add(struct vtb_schedules *set, const struct vtb_schedule *s, const struct vtb_symtab *tab)
{
	struct vtb_names names = { .to = &set->tab, .from = tab };
	const int r = vtb_schedules_add_from(set, s, &names);

	vtb_names_fini(&names);
	return r;
}
