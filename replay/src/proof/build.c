/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the program the build that a file tells of? By build-ids, of the modules in which the operations lie. */
#include "vtb/replay.h"

#include <string.h>

static bool has_module(const struct vtb_symtab *tab, const struct vtb_module *m)
{
	for (size_t i = 0; i < tab->n_modules; i++)
		if (tab->modules[i].build_id_size == m->build_id_size &&
		    !memcmp(tab->modules[i].build_id, m->build_id, m->build_id_size))
			return true;
	return false;
}

/* A module of another name may be anything; of the same one it has to tell what it is. */
static bool is_nameless(const struct vtb_symtab *tab, const struct vtb_module *m)
{
	for (size_t i = 0; i < tab->n_modules; i++)
		if (!tab->modules[i].build_id_size && tab->modules[i].path && m->path &&
		    !strcmp(tab->modules[i].path, m->path))
			return true;
	return false;
}

enum vtb_build vtb_replay_build(const struct vtb_symtab *from, const struct vtb_symtab *now)
{
	bool known = from->n_modules > 0;

	for (size_t i = 0; i < from->n_modules; i++) {
		const struct vtb_module *m = &from->modules[i];

		if (!m->build_id_size || is_nameless(now, m))
			known = false;
		else if (!has_module(now, m))
			return VTB_BUILD_OTHER;
	}
	return known ? VTB_BUILD_SAME : VTB_BUILD_UNKNOWN;
}

const char *vtb_replay_build_name(enum vtb_build build)
{
	static const char *const names[] = { "unknown", "same", "other" };

	return names[build];
}

const char *vtb_replay_build_words(enum vtb_build build)
{
	static const char *const words[] = { "perhaps not the one recorded: there is no build-id to tell it by",
		                             "the one recorded, by its build-id",
		                             "not the one recorded: the build-ids differ" };

	return words[build];
}
