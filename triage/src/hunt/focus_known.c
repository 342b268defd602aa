/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A focus on what the program has not bounds every search to nothing: that is a mistake of who typed it. Which names
 * there are is known after the first run. */
#include <errno.h>
#include <string.h>

#include "hunt_priv.h"
#include "vtb/bounded_text.h"
#include "vtb/focus.h"
#include "vtb/predicate_slices.h"
#include "vtb/symbols.h"
#include "vtb/target.h"

#define OFFERED 8u

/* A function that the first run did not come to is in the program all the same. */
static bool in_program(const struct vtb_hunt_opts *opts, const char *function)
{
	struct vtb_symbols *symbols;
	struct vtb_target t = { 0 };
	uint64_t addr;
	bool known;

	if (!opts->argv || vtb_target_find(opts->argv[0], opts->cwd, &t, NULL) < 0)
		return false;
	known = t.image && vtb_symbols_new(&symbols) == 0;
	if (known) {
		known = vtb_symbols_lines(symbols, t.image, function, 0, &addr, 1) >= 0;
		vtb_symbols_free(symbols);
	}
	vtb_target_fini(&t);
	return known;
}

/* What somebody may have meant: no threads and no waiting queues. */
static bool is_memory(const struct vtb_symtab *tab, uint32_t variable)
{
	const enum vtb_object_kind kind = tab->objects[tab->variables[variable].object].kind;

	return kind == VTB_OBJ_GLOBAL || kind == VTB_OBJ_HEAP || kind == VTB_OBJ_STACK || kind == VTB_OBJ_SYNC;
}

static int no_variable(const struct vtb_symtab *tab, const char *name, struct vtb_error *err)
{
	char text[600] = "";
	struct vtb_bounded_text t = { .buf = text, .size = sizeof(text) };
	unsigned offered = 0;

	for (uint32_t i = 0; i < tab->n_variables && offered <= OFFERED; i++)
		if (is_memory(tab, i) && offered++ < OFFERED)
			vtb_bounded_text_add(&t, "%s%s", offered > 1 ? ", " : "", vtb_variable_name(tab, i));
	return vtb_error_set(err, -EINVAL, NULL, 0, "--focus-var: the first run has no variable \"%s\"; it has %s%s",
	                     name, offered ? text : "none", offered > OFFERED ? " and more" : "");
}

int vtb_hunt_check_focus(struct vtb_hunt *hunt)
{
	const struct vtb_search_opts *opts = &hunt->opts->search;
	const struct vtb_symtab *tab = hunt->runner->tab;
	char name[200];

	if (vtb_focus_unknown_variable(opts, tab, name, sizeof(name)))
		return no_variable(tab, name, hunt->err);
	if (vtb_focus_unknown_function(opts, tab, name, sizeof(name)) && !in_program(hunt->opts, name))
		return vtb_error_set(hunt->err, -EINVAL, NULL, 0,
		                     "--focus-function: neither the first run nor the program's debug information has "
		                     "a function \"%s\"",
		                     name);
	if (vtb_predicate_slices_unknown(tab, opts->check_function, name, sizeof(name)))
		return vtb_error_set(hunt->err, -EINVAL, NULL, 0,
		                     "--check-function: the program has no function \"%s\" (inlined ones are none)",
		                     name);
	return 0;
}
