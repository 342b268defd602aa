/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "found_file.h"

#include "format_parts.h"

void vtb_found_write(struct vtb_json_writer *w, const struct vtb_found *f)
{
	if (!f->known)
		return;
	vtb_json_object_row(w, "found");
	vtb_json_u64(w, "schedules", f->schedules);
	vtb_json_u64(w, "classes", f->classes);
	vtb_json_u64(w, "diverged", f->diverged);
	vtb_json_u64(w, "msec", f->msec);
	vtb_json_u64(w, "replays", f->replays);
	vtb_json_bool(w, "minimal", f->minimal);
	vtb_json_bool(w, "predicted", f->predicted);
	vtb_json_bool(w, "mixed", f->mixed);
	vtb_json_bool(w, "unsettled", f->unsettled);
	if (f->test)
		vtb_json_string(w, "test", f->test);
	vtb_json_end(w);
}

void vtb_found_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_found *ret)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, "found");

	ret->known = node;
	if (!node)
		return;
	ret->schedules = vtb_json_opt_u64(doc, node, "schedules", UINT64_MAX, 0);
	ret->classes = vtb_json_opt_u64(doc, node, "classes", UINT64_MAX, 0);
	ret->diverged = vtb_json_opt_u64(doc, node, "diverged", UINT64_MAX, 0);
	ret->msec = vtb_json_opt_u64(doc, node, "msec", UINT64_MAX, 0);
	ret->replays = (uint32_t)vtb_json_opt_u64(doc, node, "replays", UINT32_MAX, 0);
	ret->minimal = vtb_json_opt_bool(doc, node, "minimal", false);
	ret->predicted = vtb_json_opt_bool(doc, node, "predicted", false);
	ret->mixed = vtb_json_opt_bool(doc, node, "mixed", false);
	ret->unsettled = vtb_json_opt_bool(doc, node, "unsettled", false);
	ret->test = vtb_files_strdup(doc, node, vtb_json_opt_string(doc, node, "test", NULL));
}
