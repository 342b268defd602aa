/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol tables in text files. Arrays are in the order of the ids; threads are named by path, other things by index. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_parts.h"
#include "vtb/json.h"

#define STACK_MAX 8

static const char *const object_kinds[] = {
	[VTB_OBJ_UNKNOWN] = "unknown", [VTB_OBJ_GLOBAL] = "global",   [VTB_OBJ_HEAP] = "heap",
	[VTB_OBJ_STACK] = "stack",     [VTB_OBJ_MAPPING] = "mapping", [VTB_OBJ_SYNC] = "sync",
	[VTB_OBJ_THREAD] = "thread",   [VTB_OBJ_ENV] = "environment",
};
#define N_OBJECT_KINDS (sizeof(object_kinds) / sizeof(object_kinds[0]))

/* ---- writing: members that say nothing are left out */

static void write_text(struct vtb_json_writer *w, const char *key, const char *text)
{
	if (text && text[0])
		vtb_json_string(w, key, text);
}

static void write_number(struct vtb_json_writer *w, const char *key, uint64_t n)
{
	if (n)
		vtb_json_u64(w, key, n);
}

static void write_hex(struct vtb_json_writer *w, const char *key, uint64_t n)
{
	if (n)
		vtb_json_hex(w, key, n);
}

static void write_module(struct vtb_json_writer *w, const struct vtb_module *m)
{
	char hex[2 * sizeof(m->build_id) + 1] = "";

	for (uint32_t i = 0; i < m->build_id_size && i < sizeof(m->build_id); i++)
		snprintf(hex + 2 * i, 3, "%02x", m->build_id[i]);
	vtb_json_object_row(w, NULL);
	vtb_json_bytes(w, "path", m->path);
	write_text(w, "build_id", hex);
	write_hex(w, "base", m->base);
	write_hex(w, "lo", m->lo);
	write_hex(w, "hi", m->hi);
	vtb_json_end(w);
}

static void write_site(struct vtb_json_writer *w, const struct vtb_site *s)
{
	vtb_json_object_row(w, NULL);
	vtb_files_write_ref(w, "module", s->module);
	write_hex(w, "offset", s->offset);
	write_text(w, "function", s->function);
	write_text(w, "file", s->file);
	write_number(w, "line", s->line);
	write_number(w, "function_line", s->function_line);
	write_text(w, "text", s->text);
	write_hex(w, "text_hash", s->text_hash);
	write_text(w, "instruction", s->instruction);
	write_text(w, "via", s->via);
	write_text(w, "inside", s->inside);
	vtb_files_write_ref(w, "user", s->user ? s->user - 1 : VTB_NONE);
	vtb_json_end(w);
}

static void write_thread(struct vtb_json_writer *w, const struct vtb_thread *t)
{
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "path", t->path);
	write_text(w, "start", t->start);
	vtb_files_write_ref(w, "site", t->site);
	write_text(w, "name", t->name);
	write_text(w, "maker", t->maker);
	write_text(w, "place", t->place);
	vtb_json_end(w);
}

static void write_object(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_object *o)
{
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "kind", (unsigned)o->kind < N_OBJECT_KINDS ? object_kinds[o->kind] : "unknown");
	write_text(w, "name", o->name);
	write_text(w, "type", o->type);
	write_hex(w, "key", o->key);
	write_number(w, "size", o->size);
	vtb_files_write_thread(w, "thread", tab, o->thread);
	vtb_files_write_ref(w, "site", o->site);
	if ((o->kind == VTB_OBJ_HEAP || o->kind == VTB_OBJ_SYNC) && o->stack[0] != VTB_NONE) {
		vtb_json_array_row(w, "stack");
		for (size_t i = 0; i < STACK_MAX && o->stack[i] != VTB_NONE; i++)
			vtb_json_u64(w, NULL, o->stack[i]);
		vtb_json_end(w);
	}
	write_number(w, "loop", o->loop);
	vtb_json_end(w);
}

static void write_variable(struct vtb_json_writer *w, const struct vtb_variable *v)
{
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "name", v->name);
	write_text(w, "type", v->type);
	vtb_files_write_ref(w, "object", v->object);
	write_number(w, "offset", v->offset);
	write_number(w, "size", v->size);
	vtb_json_end(w);
}

void vtb_files_write_names(struct vtb_json_writer *w, const struct vtb_symtab *tab)
{
	vtb_json_array(w, "modules");
	for (size_t i = 0; i < tab->n_modules; i++)
		write_module(w, &tab->modules[i]);
	vtb_json_end(w);
	vtb_json_array(w, "sites");
	for (size_t i = 0; i < tab->n_sites; i++)
		write_site(w, &tab->sites[i]);
	vtb_json_end(w);
	vtb_json_array(w, "threads");
	for (size_t i = 0; i < tab->n_threads; i++)
		write_thread(w, &tab->threads[i]);
	vtb_json_end(w);
	vtb_json_array(w, "objects");
	for (size_t i = 0; i < tab->n_objects; i++)
		write_object(w, tab, &tab->objects[i]);
	vtb_json_end(w);
	vtb_json_array(w, "variables");
	for (size_t i = 0; i < tab->n_variables; i++)
		write_variable(w, &tab->variables[i]);
	vtb_json_end(w);
}

/* ---- reading */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_build_id(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_module *m)
{
	const char *hex = vtb_json_opt_string(doc, object, "build_id", "");
	const size_t n = strlen(hex);

	for (size_t i = 0; i + 1 < n && i / 2 < sizeof(m->build_id); i += 2) {
		const int hi = hex_digit(hex[i]), lo = hex_digit(hex[i + 1]);

		if (hi < 0 || lo < 0)
			break;
		m->build_id[m->build_id_size++] = (uint8_t)(hi << 4 | lo);
	}
	if (n != 2 * m->build_id_size)
		vtb_json_fail(doc, object, "build_id", 0, -VTB_E_SCHEMA,
		              "found \"%.60s\", expected up to %zu bytes as lower-case hex digits", hex,
		              sizeof(m->build_id));
}

static void read_module(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab)
{
	char *path = vtb_json_read_bytes(doc, object, "path", true);
	struct vtb_module m = {
		.path = path,
		.base = vtb_json_opt_u64(doc, object, "base", UINT64_MAX, 0),
		.lo = vtb_json_opt_u64(doc, object, "lo", UINT64_MAX, 0),
		.hi = vtb_json_opt_u64(doc, object, "hi", UINT64_MAX, 0),
	};

	read_build_id(doc, object, &m);
	vtb_files_check(doc, object, vtb_symtab_add_module(tab, &m));
	free(path);
}

static void read_site(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab)
{
	const struct vtb_site s = {
		.module = vtb_files_ref(doc, object, "module", tab->n_modules, "modules"),
		.offset = vtb_json_opt_u64(doc, object, "offset", UINT64_MAX, 0),
		.function = vtb_json_opt_string(doc, object, "function", ""),
		.file = vtb_json_opt_string(doc, object, "file", ""),
		.line = (uint32_t)vtb_json_opt_u64(doc, object, "line", UINT32_MAX, 0),
		.function_line = (uint32_t)vtb_json_opt_u64(doc, object, "function_line", UINT32_MAX, 0),
		.text = vtb_json_opt_string(doc, object, "text", ""),
		.text_hash = vtb_json_opt_u64(doc, object, "text_hash", UINT64_MAX, 0),
		.instruction = vtb_json_opt_string(doc, object, "instruction", ""),
		.via = vtb_json_opt_string(doc, object, "via", ""),
		.inside = vtb_json_opt_string(doc, object, "inside", ""),
		.user = vtb_files_ref(doc, object, "user", VTB_SITES_LIMIT, "sites") + 1u, /* 0: there is none */
	};

	vtb_files_check(doc, object, vtb_symtab_add_site(tab, &s));
}

/* Each thread is new and its creator is known: so the tree has no cycles, and a path stands for one id. */
static void read_thread(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab)
{
	const char *path = vtb_json_get_string(doc, object, "path");
	const char *start = vtb_json_opt_string(doc, object, "start", ""),
	           *name = vtb_json_opt_string(doc, object, "name", ""),
	           *maker = vtb_json_opt_string(doc, object, "maker", ""),
	           *place = vtb_json_opt_string(doc, object, "place", "");
	const uint32_t site = vtb_files_ref(doc, object, "site", tab->n_sites, "sites");
	const size_t known = tab->n_threads;
	struct vtb_thread *t;
	int64_t id;

	if (vtb_json_status(doc) < 0)
		return;
	id = vtb_symtab_thread_by_path(tab, path);
	if (id == -ENOMEM || id == -VTB_E_LIMIT)
		vtb_files_check(doc, object, id);
	else if (id < 0)
		vtb_json_fail(doc, object, "path", 0, -VTB_E_SCHEMA,
		              "found \"%.40s\", expected a creation path like \"0.1.0\"", path);
	else if ((size_t)id < known)
		vtb_json_fail(doc, object, "path", 0, -VTB_E_SCHEMA, "thread \"%.40s\" is listed twice", path);
	else if ((size_t)id > known)
		vtb_json_fail(doc, object, "path", 0, -VTB_E_SCHEMA, "thread \"%.40s\" is listed before its creator",
		              path);
	if (vtb_json_status(doc) < 0)
		return;
	t = &tab->threads[id];
	t->site = site;
	t->start = vtb_symtab_string(tab, start);
	t->name = vtb_symtab_string(tab, name);
	t->maker = vtb_symtab_string(tab, maker);
	t->place = vtb_symtab_string(tab, place);
	if (!t->start || !t->name || !t->maker || !t->place)
		vtb_files_check(doc, object, -ENOMEM);
}

static void read_stack(struct vtb_json *doc, const struct vtb_json_node *object, size_t n_sites,
                       uint32_t stack[STACK_MAX])
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "stack", STACK_MAX);
	const size_t n = vtb_json_count(array);

	for (size_t i = 0; i < STACK_MAX; i++) {
		const uint64_t site = i < n ? vtb_json_item_u64(doc, array, i, UINT32_MAX) : VTB_NONE;

		if (i < n && site >= n_sites)
			vtb_json_fail(doc, array, NULL, i, -VTB_E_SCHEMA, "found %llu, but there are only %zu sites",
			              (unsigned long long)site, n_sites);
		stack[i] = (uint32_t)site;
	}
}

static void read_object(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab)
{
	struct vtb_object o = {
		.kind = (enum vtb_object_kind)vtb_files_choice(doc, object, "kind", object_kinds, N_OBJECT_KINDS, -1),
		.name = vtb_json_opt_string(doc, object, "name", ""),
		.type = vtb_json_opt_string(doc, object, "type", ""),
		.key = vtb_json_opt_u64(doc, object, "key", UINT64_MAX, 0),
		.size = vtb_json_opt_u64(doc, object, "size", UINT64_MAX, 0),
		.thread = vtb_files_thread(doc, object, "thread", tab),
		.site = vtb_files_ref(doc, object, "site", tab->n_sites, "sites"),
		.loop = (uint32_t)vtb_json_opt_u64(doc, object, "loop", UINT32_MAX, 0),
	};

	read_stack(doc, object, tab->n_sites, o.stack);
	vtb_files_check(doc, object, vtb_symtab_add_object(tab, &o));
}

static void read_variable(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab)
{
	const struct vtb_variable v = {
		.object = vtb_files_ref(doc, object, "object", tab->n_objects, "objects"),
		.offset = vtb_json_opt_u64(doc, object, "offset", UINT64_MAX, 0),
		.size = (uint32_t)vtb_json_opt_u64(doc, object, "size", UINT32_MAX, 0),
		.name = vtb_json_get_string(doc, object, "name"),
		.type = vtb_json_opt_string(doc, object, "type", ""),
	};

	vtb_files_check(doc, object, vtb_symtab_add_variable(tab, &v));
}

int vtb_files_read_names(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab)
{
	static const struct {
		const char *key;
		size_t max;
		void (*read)(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab);
	} tables[] = {
		/* each refers only to those before it */
		{ "modules", VTB_MODULES_LIMIT, read_module },       { "sites", VTB_SITES_LIMIT, read_site },
		{ "threads", VTB_THREADS_LIMIT, read_thread },       { "objects", VTB_OBJECTS_LIMIT, read_object },
		{ "variables", VTB_VARIABLES_LIMIT, read_variable },
	};

	const struct vtb_json_node *sites = vtb_json_opt_array(doc, object, "sites", VTB_SITES_LIMIT);

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const struct vtb_json_node *array = vtb_json_opt_array(doc, object, tables[t].key, tables[t].max);
		const size_t n = vtb_json_count(array);

		for (size_t i = 0; i < n && vtb_json_status(doc) >= 0; i++)
			tables[t].read(doc, vtb_json_item_object(doc, array, i), tab);
	}
	for (size_t i = 0; i < tab->n_sites && vtb_json_status(doc) >= 0; i++) /* it may stand behind */
		if (tab->sites[i].user > tab->n_sites)
			vtb_files_ref(doc, vtb_json_item_object(doc, sites, i), "user", tab->n_sites, "sites");
	return vtb_json_status(doc);
}
