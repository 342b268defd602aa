/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "item_parts.h"
#include "vtb/argv.h"
#include "vtb/items.h"

void vtb_item_fini(struct vtb_item *item)
{
	free(item->id);
	free(item->vtb);
	vtb_schedules_fini(&item->target);
	vtb_argv_free(item->options);
	vtb_kept_input_fini(&item->input);
	*item = (struct vtb_item){ 0 };
}

static void write_options(struct vtb_json_writer *w, char *const *options)
{
	vtb_json_object_row(w, "options");
	for (size_t i = 0; options && options[i]; i++) {
		const char *value = strchr(options[i], '=');
		char name[100];

		snprintf(name, sizeof(name), "%.*s", (int)(value - options[i]), options[i]);
		vtb_json_string(w, name, value + 1);
	}
	vtb_json_end(w);
}

void vtb_item_write(const struct vtb_item *item, FILE *to)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, to);
	vtb_json_object_row(&w, NULL);
	vtb_json_string(&w, "format", "vtb-item");
	vtb_json_u64(&w, "version", VTB_ITEM_VERSION);
	vtb_json_string(&w, "id", item->id);
	vtb_json_string(&w, "vtb", item->vtb);
	vtb_json_hex(&w, "first", item->first);
	write_options(&w, item->options);
	vtb_json_real(&w, "seconds", item->seconds);
	vtb_kept_input_write(&w, &item->input);
	vtb_schedules_write_member(&w, "target", &item->target);
	vtb_json_finish(&w);
}

int vtb_item_read(struct vtb_json *doc, struct vtb_item *ret)
{
	const struct vtb_json_node *root = vtb_json_root(doc);
	int r = vtb_json_expect(doc, root, "vtb-item", VTB_ITEM_VERSION);

	*ret = (struct vtb_item){ 0 };
	if (r < 0)
		return r;
	ret->id = vtb_item_id_read(doc, root);
	ret->vtb = vtb_item_text_read(doc, root, "vtb", true);
	ret->first = vtb_json_get_u64(doc, root, "first", UINT64_MAX);
	ret->options = vtb_item_options_read(doc, root);
	ret->seconds = vtb_item_real_read(doc, root, "seconds", -1);
	vtb_kept_input_read(doc, root, &ret->input);
	r = vtb_json_status(doc);
	if (r >= 0)
		r = vtb_schedules_read_member(doc, root, "target", &ret->target);
	if (r >= 0 && (!ret->target.argv || !ret->target.argv[0]))
		r = vtb_json_fail(doc, root, "target", 0, -VTB_E_SCHEMA, "it names no program");
	if (r < 0)
		vtb_item_fini(ret);
	return r;
}
