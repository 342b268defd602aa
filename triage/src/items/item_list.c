/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "item_options.h"
#include "item_parts.h"
#include "vtb/argv.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/input.h"
#include "vtb/map64.h"

struct reading {
	const char *path;
	struct vtb_item_list *list;
	struct vtb_map64 ids;
	struct vtb_error *err;
};

void vtb_item_list_fini(struct vtb_item_list *list)
{
	for (size_t i = 0; i < list->n_wishes; i++)
		vtb_item_wish_fini(&list->wishes[i]);
	free(list->wishes);
	*list = (struct vtb_item_list){ 0 };
}

static int check_options(const struct vtb_item_wish *wish, struct vtb_error *err)
{
	struct vtb_hunt_opts opts;
	int r = 0;

	vtb_hunt_opts_init(&opts);
	for (size_t i = 0; r >= 0 && wish->options[i]; i++)
		r = vtb_item_option_take(wish->options[i], &opts, err);
	return r;
}

static int take(struct reading *read, struct vtb_json *doc, uint32_t line)
{
	const struct vtb_json_node *root = vtb_json_root(doc);
	struct vtb_item_wish wish = { 0 };
	struct vtb_error why = { 0 };
	char *id = vtb_item_id_read(doc, root);
	uint64_t key;
	int r;

	wish.options = vtb_item_options_read(doc, root);
	r = vtb_json_status(doc);
	if (r < 0) {
		free(id);
		vtb_item_wish_fini(&wish);
		return vtb_error_set_line(read->err, r, read->path, line, 1, "%s",
		                          "no item: expected an id and options");
	}
	snprintf(wish.id, sizeof(wish.id), "%s", id);
	free(id);
	key = vtb_hash_text(wish.id);
	if (vtb_map64_at(&read->ids, key))
		r = vtb_error_set_line(read->err, -VTB_E_SCHEMA, read->path, line, 1,
		                       "\"%s\" is the id of an item above", wish.id);
	else if (check_options(&wish, &why) < 0)
		r = vtb_error_set_line(read->err, -VTB_E_SCHEMA, read->path, line, 1, "%s", why.text);
	if (r >= 0)
		r = vtb_map64_set(&read->ids, key, 1);
	if (r >= 0)
		r = vtb_array_room(read->list, wishes);
	if (r >= 0)
		read->list->wishes[read->list->n_wishes++] = wish;
	else
		vtb_item_wish_fini(&wish);
	return r;
}

static int read_line(struct reading *read, const char *text, size_t size, uint32_t line)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc;
	int r = vtb_json_parse(read->path, text, size, &doc, &err);

	if (r < 0)
		return vtb_error_set_line(read->err, r, read->path, line, err.column, "%s", err.text);
	r = take(read, doc, line);
	if (vtb_json_status(doc) < 0)
		vtb_error_set_line(read->err, r, read->path, line, err.column, "%s", err.text);
	vtb_json_free(doc);
	return r;
}

static bool is_blank(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\r", text[i]) || !text[i])
			return false;
	return true;
}

static int read_lines(struct reading *read, const char *text, size_t size)
{
	uint32_t line = 1;
	int r = 0;

	for (size_t at = 0, n; r >= 0 && at < size; at += n + 1, line++) {
		const char *end = memchr(text + at, '\n', size - at);

		n = end ? (size_t)(end - (text + at)) : size - at;
		if (read->list->n_wishes >= VTB_ITEM_LIST_MAX)
			r = vtb_error_set_line(read->err, -VTB_E_LIMIT, read->path, line, 1, "more than %u items",
			                       VTB_ITEM_LIST_MAX);
		else if (!is_blank(text + at, n))
			r = read_line(read, text + at, n, line);
	}
	return r < 0 ? r : 0;
}

int vtb_item_list_read(const char *path, struct vtb_item_list *ret, struct vtb_error *err)
{
	struct vtb_item_list list = { 0 };
	struct reading read = { .path = path, .list = &list, .err = err };
	struct vtb_input in;
	int r = vtb_input_map(path, &in, err);

	if (r < 0)
		return r;
	r = read_lines(&read, (const char *)in.data, in.size);
	vtb_input_unmap(&in);
	vtb_map64_fini(&read.ids);
	if (r >= 0 && !list.n_wishes)
		r = vtb_error_set(err, -VTB_E_FORMAT, path, 0, "there are no items in it");
	if (r < 0)
		vtb_item_list_fini(&list);
	else
		*ret = list;
	return r;
}
