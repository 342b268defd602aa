/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/excerpt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format_parts.h"
#include "vtb/array.h"

int vtb_excerpts_begin(struct vtb_excerpts *all, const char *file, uint32_t first)
{
	struct vtb_excerpt x = { .first = first };

	if (vtb_array_room(all, excerpts) < 0)
		return -ENOMEM;
	x.file = strdup(file);
	if (!x.file)
		return -ENOMEM;
	all->excerpts[all->n_excerpts++] = x;
	return 0;
}

int vtb_excerpts_line(struct vtb_excerpts *all, const char *text)
{
	struct vtb_excerpt *x = &all->excerpts[all->n_excerpts - 1];

	if (vtb_array_room(x, lines) < 0)
		return -ENOMEM;
	x->lines[x->n_lines] = strdup(text);
	return x->lines[x->n_lines] ? (x->n_lines++, 0) : -ENOMEM;
}

const struct vtb_excerpt *vtb_excerpts_find(const struct vtb_excerpts *all, const char *file, uint32_t line)
{
	for (size_t i = 0; i < all->n_excerpts; i++) {
		const struct vtb_excerpt *x = &all->excerpts[i];

		if (line >= x->first && line - x->first < x->n_lines && !strcmp(x->file, file))
			return x;
	}
	return NULL;
}

void vtb_excerpts_fini(struct vtb_excerpts *all)
{
	for (size_t i = 0; i < all->n_excerpts; i++) {
		for (size_t k = 0; k < all->excerpts[i].n_lines; k++)
			free(all->excerpts[i].lines[k]);
		free(all->excerpts[i].lines);
		free(all->excerpts[i].file);
	}
	free(all->excerpts);
	*all = (struct vtb_excerpts){ 0 };
}

/* ---- in files */

void vtb_excerpts_write(struct vtb_json_writer *w, const char *key, const struct vtb_excerpts *all)
{
	if (!all->n_excerpts)
		return;
	vtb_json_array(w, key);
	for (size_t i = 0; i < all->n_excerpts; i++) {
		const struct vtb_excerpt *x = &all->excerpts[i];

		vtb_json_object(w, NULL);
		vtb_json_string(w, "file", x->file);
		vtb_json_u64(w, "first", x->first);
		vtb_json_array(w, "lines");
		for (size_t k = 0; k < x->n_lines; k++)
			vtb_json_string(w, NULL, x->lines[k]);
		vtb_json_end(w);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

static void read_one(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_excerpts *ret)
{
	const char *file = vtb_json_get_string(doc, object, "file");
	const uint32_t first = (uint32_t)vtb_json_get_u64(doc, object, "first", UINT32_MAX - VTB_EXCERPT_LINES_LIMIT);
	const struct vtb_json_node *lines = vtb_json_get_array(doc, object, "lines", VTB_EXCERPT_LINES_LIMIT);

	if (vtb_json_status(doc) < 0 || vtb_files_check(doc, object, vtb_excerpts_begin(ret, file, first)) < 0)
		return;
	for (size_t i = 0; i < vtb_json_count(lines) && vtb_json_status(doc) >= 0; i++) {
		const char *text = vtb_json_item_string(doc, lines, i);

		if (vtb_json_status(doc) >= 0)
			vtb_files_check(doc, lines, vtb_excerpts_line(ret, text));
	}
}

void vtb_excerpts_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                       struct vtb_excerpts *ret)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, key, VTB_EXCERPTS_LIMIT);

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++)
		read_one(doc, vtb_json_item_object(doc, array, i), ret);
}
