/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from one symbol table to another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/error.h"
#include "vtb/symtab.h"

static int64_t fail(struct vtb_names *names, int64_t r)
{
	if (r < 0 && names->status >= 0)
		names->status = (int)r;
	return r;
}

/* The memo of one kind of name, made when it is first needed. */
static uint32_t *memo(struct vtb_names *names, uint32_t **memos, size_t n)
{
	if (!*memos)
		*memos = calloc(n, sizeof(**memos));
	if (!*memos)
		fail(names, -ENOMEM);
	return *memos;
}

static int64_t remember(struct vtb_names *names, uint32_t *place, int64_t id)
{
	if (id >= 0)
		*place = (uint32_t)id + 1;
	return fail(names, id);
}

const char *vtb_names_string(struct vtb_names *names, const char *text)
{
	const char *copy = vtb_symtab_string(names->to, text ? text : "");

	if (!copy)
		fail(names, -ENOMEM);
	return copy ? copy : "";
}

static uint32_t known(int64_t id)
{
	return id < 0 ? VTB_NONE : (uint32_t)id;
}

/* Modules are few and several tables may bring the same one: equal ones become one. */
static int64_t add_module(struct vtb_symtab *to, const struct vtb_module *m)
{
	for (size_t i = 0; i < to->n_modules; i++) {
		const struct vtb_module *x = &to->modules[i];

		if (!strcmp(x->path, m->path) && x->build_id_size == m->build_id_size &&
		    !memcmp(x->build_id, m->build_id, m->build_id_size))
			return (int64_t)i;
	}
	return vtb_symtab_add_module(to, m);
}

static int64_t copy_module(struct vtb_names *names, uint32_t id)
{
	uint32_t *ids = id < names->from->n_modules ? memo(names, &names->modules, names->from->n_modules) : NULL;

	if (!ids || ids[id])
		return ids ? (int64_t)ids[id] - 1 : VTB_NONE;
	return remember(names, &ids[id], add_module(names->to, &names->from->modules[id]));
}

int64_t vtb_names_site(struct vtb_names *names, uint32_t id)
{
	uint32_t *ids = id < names->from->n_sites ? memo(names, &names->sites, names->from->n_sites) : NULL;
	struct vtb_site site;

	if (!ids || ids[id])
		return ids ? (int64_t)ids[id] - 1 : VTB_NONE;
	site = names->from->sites[id];
	site.module = known(copy_module(names, site.module));
	site.user = 0;
	return remember(names, &ids[id], vtb_symtab_add_site(names->to, &site));
}

int64_t vtb_names_thread(struct vtb_names *names, uint32_t id)
{
	uint32_t *ids = id < names->from->n_threads ? memo(names, &names->threads, names->from->n_threads) : NULL;
	const struct vtb_thread *from;
	struct vtb_thread *to;
	int64_t new_id;

	if (!ids || ids[id])
		return ids ? (int64_t)ids[id] - 1 : VTB_NONE;
	from = &names->from->threads[id];
	if (from->parent < id) /* parents have lower ids; depth is bounded by VTB_PATH_LIMIT */
		vtb_names_thread(names, from->parent);
	new_id = remember(names, &ids[id], vtb_symtab_thread_by_path(names->to, from->path));
	if (new_id < 0)
		return new_id;
	to = &names->to->threads[new_id];
	to->start = vtb_names_string(names, from->start);
	to->name = vtb_names_string(names, from->name);
	to->maker = vtb_names_string(names, from->maker);
	to->place = vtb_names_string(names, from->place);
	if (to->site == VTB_NONE)
		to->site = known(vtb_names_site(names, from->site));
	return new_id;
}

static int64_t copy_object(struct vtb_names *names, uint32_t id)
{
	uint32_t *ids = id < names->from->n_objects ? memo(names, &names->objects, names->from->n_objects) : NULL;
	struct vtb_object object;

	if (!ids || ids[id])
		return ids ? (int64_t)ids[id] - 1 : VTB_NONE;
	object = names->from->objects[id];
	object.thread = known(vtb_names_thread(names, object.thread));
	object.site = known(vtb_names_site(names, object.site));
	for (size_t i = 0; i < 8; i++)
		object.stack[i] = known(vtb_names_site(names, object.stack[i]));
	return remember(names, &ids[id], vtb_symtab_add_object(names->to, &object));
}

int64_t vtb_names_variable(struct vtb_names *names, uint32_t id)
{
	uint32_t *ids = id < names->from->n_variables ? memo(names, &names->variables, names->from->n_variables) : NULL;
	struct vtb_variable variable;

	if (!ids || ids[id])
		return ids ? (int64_t)ids[id] - 1 : VTB_NONE;
	variable = names->from->variables[id];
	variable.object = known(copy_object(names, variable.object));
	return remember(names, &ids[id], vtb_symtab_add_variable(names->to, &variable));
}

void vtb_names_fini(struct vtb_names *names)
{
	free(names->modules);
	free(names->threads);
	free(names->sites);
	free(names->objects);
	free(names->variables);
	*names = (struct vtb_names){ 0 };
}
