/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/focus.h"

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

bool vtb_focus_allows(const struct vtb_space *space, const struct vtb_event *e)
{
	const struct vtb_search_opts *opts = space->opts;
	const struct vtb_symtab *tab = space->tab;

	if (opts->focus_var && !vtb_focus_names(opts->focus_var, vtb_variable_name(tab, e->var)))
		return false;
	if (!opts->focus_function)
		return true;
	return e->site < tab->n_sites && strcmp(tab->sites[e->site].function, opts->focus_function) == 0;
}

bool vtb_focus_allows_chance(const struct vtb_space *space, const struct vtb_event *before, const struct vtb_chance *c)
{
	const struct vtb_search_opts *opts = space->opts;

	if (vtb_focus_allows(space, before) || vtb_focus_allows(space, &c->at))
		return true;
	return c->var == VTB_CHANCE_CLOCK && opts->focus_var && !opts->focus_function && vtb_focus_names(opts->focus_var, "clock");
}
