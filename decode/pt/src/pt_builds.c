/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_builds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define MODULES_MAX 65536u

/* Pairs of hexadecimal digits; false: anything else. */
static bool read_id(const char *hex, struct vtb_pt_build *build)
{
	const size_t n = strlen(hex);

	if (n % 2 || n / 2 > sizeof(build->id) || strspn(hex, "0123456789abcdef") != n)
		return false;
	for (size_t i = 0; i < n / 2; i++)
		sscanf(hex + 2 * i, "%2hhx", &build->id[i]);
	build->id_size = (uint32_t)(n / 2);
	return true;
}

static int add(struct vtb_pt_recording *rec, struct vtb_json *doc, const struct vtb_json_node *row)
{
	const char *path = vtb_json_get_string(doc, row, "path"), *hex = vtb_json_get_string(doc, row, "build_id");
	struct vtb_pt_build build = { 0 };

	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	if (!read_id(hex, &build))
		return vtb_json_fail(doc, row, "build_id", 0, -VTB_E_SCHEMA,
		                     "expected up to %zu pairs of hexadecimal digits", sizeof(build.id));
	build.path = strdup(path);
	if (!build.path || vtb_array_room(rec, builds) < 0) {
		free(build.path);
		return -ENOMEM;
	}
	rec->builds[rec->n_builds++] = build;
	return 0;
}

int pt_builds_read(struct vtb_pt_recording *rec, struct vtb_json *doc)
{
	const struct vtb_json_node *rows = vtb_json_opt_array(doc, vtb_json_root(doc), "modules", MODULES_MAX);
	int r = 0;

	for (size_t i = 0; r >= 0 && rows && i < vtb_json_count(rows); i++)
		r = add(rec, doc, vtb_json_item_object(doc, rows, i));
	return r < 0 ? r : vtb_json_status(doc);
}

void pt_builds_fini(struct vtb_pt_recording *rec)
{
	for (size_t i = 0; i < rec->n_builds; i++)
		free(rec->builds[i].path);
	free(rec->builds);
}

const struct vtb_pt_build *vtb_pt_recording_build(const struct vtb_pt_recording *rec, const char *path)
{
	for (size_t i = 0; i < rec->n_builds; i++)
		if (!strcmp(rec->builds[i].path, path))
			return &rec->builds[i];
	return NULL;
}
