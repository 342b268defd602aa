/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "matters.h"

#include "vtb/predicate.h"

int matters_learn(const struct vtb_space *space, const struct vtb_exec *x, bool new_class)
{
	struct vtb_predicate *p = space->opts->predicate;

	if (!p || !new_class || x->partial)
		return 0;
	return vtb_predicate_learn(p, x);
}

bool matters_variable(const struct vtb_space *space, uint32_t var)
{
	return !space->opts->predicate || vtb_predicate_var_matters(space->opts->predicate, var);
}

bool matters_reached(const struct vtb_space *space, uint32_t var)
{
	return !space->opts->predicate || vtb_predicate_var_reached(space->opts->predicate, var);
}

bool matters_event(const struct vtb_space *space, const struct vtb_event *e)
{
	return !space->opts->predicate || !vtb_predicate_hides_next(space->opts->predicate, e);
}

bool matters_nothing(const struct vtb_space *space, uint32_t var)
{
	return space->opts->only_assertions && !space->opts->exhaust && !matters_variable(space, var);
}

uint64_t matters_grown(const struct vtb_space *space)
{
	return space->opts->predicate ? vtb_predicate_vars_grown(space->opts->predicate) : 0;
}
