/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"
#include "vtb/json.h"
#include "format_parts.h"

int vtb_files_check(struct vtb_json *doc, const struct vtb_json_node *where, int64_t r)
{
	if (r < 0)
		vtb_json_fail(doc, where, NULL, 0, (int)r, "%s", vtb_strerror((int)r));
	return vtb_json_status(doc);
}

char *vtb_files_strdup(struct vtb_json *doc, const struct vtb_json_node *where, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		vtb_files_check(doc, where, -ENOMEM);
	return copy;
}

uint32_t vtb_files_ref(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, size_t count,
                       const char *what)
{
	uint64_t id;

	if (!vtb_json_has(object, key))
		return VTB_NONE;
	id = vtb_json_get_u64(doc, object, key, UINT32_MAX);
	if (id < count)
		return (uint32_t)id;
	vtb_json_fail(doc, object, key, 0, -VTB_E_SCHEMA, "found %" PRIu64 ", but there are only %zu %s", id, count,
	              what);
	return VTB_NONE;
}

uint32_t vtb_files_thread_named(struct vtb_json *doc, const struct vtb_json_node *container, const char *key,
                                size_t index, const char *path, struct vtb_symtab *tab)
{
	const size_t known = tab->n_threads;
	int64_t id;

	if (vtb_json_status(doc) < 0)
		return VTB_NONE;
	id = vtb_symtab_thread_by_path(tab, path);
	if (id >= 0 && tab->n_threads == known)
		return (uint32_t)id;
	if (id == -ENOMEM)
		vtb_files_check(doc, container, id);
	vtb_json_fail(doc, container, key, index, -VTB_E_SCHEMA,
	              "found \"%.40s\", expected the path of a thread that is listed in \"threads\"", path);
	return VTB_NONE;
}

uint32_t vtb_files_thread(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                          struct vtb_symtab *tab)
{
	if (!vtb_json_has(object, key))
		return VTB_NONE;
	return vtb_files_thread_named(doc, object, key, 0, vtb_json_get_string(doc, object, key), tab);
}

int vtb_files_choice(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                     const char *const *names, size_t n, int fallback)
{
	const char *text;

	if (fallback >= 0 && !vtb_json_has(object, key))
		return fallback;
	text = vtb_json_get_string(doc, object, key);
	for (size_t i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], text))
			return (int)i;
	vtb_json_fail(doc, object, key, 0, -VTB_E_SCHEMA, "found \"%.40s\", which is none of the known words", text);
	return fallback >= 0 ? fallback : 0;
}

void vtb_files_write_ref(struct vtb_json_writer *w, const char *key, uint32_t id)
{
	if (id != VTB_NONE)
		vtb_json_u64(w, key, id);
}

void vtb_files_write_thread(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab, uint32_t thread)
{
	if (thread < tab->n_threads)
		vtb_json_string(w, key, vtb_thread_path(tab, thread));
}

int vtb_files_read_program(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_program *ret)
{
	const struct vtb_json_node *program = vtb_json_get_object(doc, object, "program");
	struct vtb_program p = { 0 };

	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	p.argv = vtb_json_read_words(doc, program, "argv", VTB_ARGV_LIMIT, true);
	p.cwd = vtb_json_read_bytes(doc, program, "cwd", false);
	p.backend = vtb_files_strdup(doc, program, vtb_json_opt_string(doc, program, "backend", NULL));
	if (vtb_json_status(doc) < 0) {
		vtb_argv_free(p.argv);
		free(p.cwd);
		free(p.backend);
		return vtb_json_status(doc);
	}
	*ret = p;
	return 0;
}

void vtb_files_write_program(struct vtb_json_writer *w, char *const *argv, const char *cwd, const char *backend)
{
	vtb_json_object(w, "program");
	vtb_json_words(w, "argv", argv);
	if (cwd)
		vtb_json_bytes(w, "cwd", cwd);
	if (backend)
		vtb_json_string(w, "backend", backend);
	vtb_json_end(w);
}
