/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/focus.h"

#include <stdio.h>
#include <string.h>

#include "vtb/chances.h"

bool vtb_focus_names(const char *focus, const char *name)
{
	const size_t n = focus ? strlen(focus) : 0;

	if (!focus)
		return true;
	if (strncmp(focus, name, n) != 0)
		return false;
	return name[n] == '\0' || name[n] == '.' || name[n] == '[' || name[n] == '-';
}

bool vtb_focus_has_variable(const struct vtb_search_opts *opts, const struct vtb_symtab *tab)
{
	for (uint32_t i = 0; opts->focus_var && i < tab->n_variables; i++)
		if (vtb_focus_names(opts->focus_var, vtb_variable_name(tab, i)))
			return true;
	return !opts->focus_var;
}

bool vtb_focus_has_function(const struct vtb_search_opts *opts, const struct vtb_symtab *tab)
{
	for (uint32_t i = 0; opts->focus_function && i < tab->n_sites; i++)
		if (strcmp(tab->sites[i].function, opts->focus_function) == 0)
			return true;
	return !opts->focus_function;
}

const char *vtb_focus_words(enum vtb_focus_kind kind, const char *name, const char *strategy, uint32_t free, char *buf,
                            size_t size)
{
	const char *end = kind == VTB_FOCUS_FUNCTION ? "()" : "";

	if (free & kind)
		snprintf(buf, size, "Deviations anywhere: the focus on %s%s does not bound the strategy %s.", name, end,
		         strategy);
	else
		snprintf(buf, size, "Deviations only %s %s%s.",
		         kind == VTB_FOCUS_FUNCTION ? "in" : "after operations on", name, end);
	return buf;
}

bool vtb_focus_allows_variable(const struct vtb_space *space, const struct vtb_event *e)
{
	return !space->opts->focus_var ||
	       vtb_focus_names(space->opts->focus_var, vtb_variable_name(space->tab, e->var));
}

bool vtb_focus_allows_function(const struct vtb_space *space, const struct vtb_event *e)
{
	const char *focus = space->opts->focus_function;

	return !focus || (e->site < space->tab->n_sites && strcmp(space->tab->sites[e->site].function, focus) == 0);
}

bool vtb_focus_allows(const struct vtb_space *space, const struct vtb_event *e)
{
	return vtb_focus_allows_variable(space, e) && vtb_focus_allows_function(space, e);
}

bool vtb_focus_allows_chance(const struct vtb_space *space, const struct vtb_event *before, const struct vtb_chance *c)
{
	const struct vtb_search_opts *opts = space->opts;

	if (vtb_focus_allows(space, before) || vtb_focus_allows(space, &c->at))
		return true;
	return c->var == VTB_CHANCE_CLOCK && opts->focus_var && !opts->focus_function &&
	       vtb_focus_names(opts->focus_var, "clock");
}
