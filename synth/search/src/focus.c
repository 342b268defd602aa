/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/focus.h"

#include <stdio.h>
#include <string.h>

#include "vtb/chances.h"
#include "vtb/name_list.h"
#include "vtb/short_name.h"

#define FUNCTION_MAX 1024

/* "Pool::give" is "Pool::give(int)", and "map::operator[]", as reports call it, one with arguments of its template. */
static bool is_function(const char *item, size_t length, const char *function)
{
	char told[FUNCTION_MAX];

	if (vtb_name_item_is(item, length, function))
		return true;
	snprintf(told, sizeof(told), "%.*s", (int)strcspn(function, "("), function);
	if (vtb_name_item_is(item, length, told))
		return true;
	vtb_short_function(function, told, sizeof(told));
	return vtb_name_item_is(item, length, told);
}

static bool lists_function(const char *list, const char *function)
{
	const char *item;
	size_t length;

	while ((item = vtb_name_list_next(&list, &length)) != NULL)
		if (is_function(item, length, function))
			return true;
	return false;
}

static const char clock_name[] = "clock";

static bool variable_named(const struct vtb_symtab *tab, uint32_t i, const char *item, size_t length)
{
	return (length == strlen(clock_name) && memcmp(item, clock_name, length) == 0) || /* every program has one */
	       vtb_name_item_covers(item, length, vtb_variable_name(tab, i));
}

static bool function_named(const struct vtb_symtab *tab, uint32_t i, const char *item, size_t length)
{
	return is_function(item, length, tab->sites[i].function);
}

typedef bool (*named_fn)(const struct vtb_symtab *tab, uint32_t i, const char *item, size_t length);

static bool unknown(const char *list, const struct vtb_symtab *tab, size_t n, named_fn named, char *buf, size_t size)
{
	const char *item;
	size_t length;

	while (list && (item = vtb_name_list_next(&list, &length)) != NULL) {
		uint32_t i = 0;

		while (i < n && !named(tab, i, item, length))
			i++;
		if (i == n) {
			snprintf(buf, size, "%.*s", (int)length, item);
			return true;
		}
	}
	return false;
}

bool vtb_focus_unknown_variable(const struct vtb_search_opts *opts, const struct vtb_symtab *tab, char *buf,
                                size_t size)
{
	return unknown(opts->focus_var, tab, tab->n_variables, variable_named, buf, size);
}

bool vtb_focus_unknown_function(const struct vtb_search_opts *opts, const struct vtb_symtab *tab, char *buf,
                                size_t size)
{
	return unknown(opts->focus_function, tab, tab->n_sites, function_named, buf, size);
}

const char *vtb_focus_words(enum vtb_focus_kind kind, const char *name, const char *strategy, uint32_t free, char *buf,
                            size_t size)
{
	const bool one = !strpbrk(name, ",*?(");
	const char *end = kind == VTB_FOCUS_FUNCTION && one ? "()" : "";

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
	const char *focus = space->opts->focus_var;

	return !focus || vtb_name_list_covers(focus, vtb_variable_name(space->tab, e->var));
}

bool vtb_focus_allows_function(const struct vtb_space *space, const struct vtb_event *e)
{
	const char *focus = space->opts->focus_function;

	return !focus || (e->site < space->tab->n_sites && lists_function(focus, space->tab->sites[e->site].function));
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
	       vtb_name_list_covers(opts->focus_var, clock_name);
}
