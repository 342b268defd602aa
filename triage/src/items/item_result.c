/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "item_facts.h"
#include "item_parts.h"
#include "vtb/argv.h"
#include "vtb/array.h"

static const char *const states[] = { [VTB_ITEM_COMPLETED] = "completed",
	                              [VTB_ITEM_CUT] = "cut",
	                              [VTB_ITEM_REFUSED] = "refused",
	                              [VTB_ITEM_TROUBLE] = "trouble" };
#define STATES (sizeof(states) / sizeof(*states))

void vtb_item_result_fini(struct vtb_item_result *result)
{
	free(result->id);
	free(result->why);
	free(result->facts.arguments);
	free(result->facts.stuck);
	free(result->classes);
	vtb_schedules_fini(&result->failures);
	vtb_argv_free(result->signatures);
	*result = (struct vtb_item_result){ 0 };
}

static void write_shown(struct vtb_json_writer *w, const struct vtb_item_result *result)
{
	vtb_json_real(w, "seconds", result->seconds);
	vtb_item_facts_write(w, &result->facts);
	vtb_json_array_row(w, "classes");
	for (size_t i = 0; i < result->n_classes; i++)
		vtb_json_hex(w, NULL, result->classes[i]);
	vtb_json_end(w);
	vtb_json_array_row(w, "signatures");
	for (size_t i = 0; result->signatures && result->signatures[i]; i++)
		vtb_json_string(w, NULL, result->signatures[i]);
	vtb_json_end(w);
	vtb_schedules_write_member(w, "failures", &result->failures);
}

void vtb_item_result_write(const struct vtb_item_result *result, FILE *to)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, to);
	vtb_json_object_row(&w, NULL);
	vtb_json_string(&w, "format", "vtb-item-result");
	vtb_json_u64(&w, "version", VTB_ITEM_VERSION);
	vtb_json_string(&w, "id", result->id);
	vtb_json_string(&w, "state", states[result->state]);
	vtb_json_string(&w, "why", result->why);
	if (result->state == VTB_ITEM_COMPLETED || result->state == VTB_ITEM_CUT)
		write_shown(&w, result);
	vtb_json_finish(&w);
}
/* ---- reading */

static enum vtb_item_state read_state(struct vtb_json *doc, const struct vtb_json_node *root)
{
	const char *word = vtb_json_get_string(doc, root, "state");

	for (size_t i = 0; i < STATES; i++)
		if (strcmp(states[i], word) == 0)
			return (enum vtb_item_state)i;
	vtb_json_fail(doc, root, "state", 0, -VTB_E_SCHEMA, "there is no state \"%.40s\"", word);
	return VTB_ITEM_TROUBLE;
}

static void read_classes(struct vtb_json *doc, const struct vtb_json_node *root, struct vtb_item_result *ret)
{
	const struct vtb_json_node *classes = vtb_json_get_array(doc, root, "classes", VTB_ITEM_CLASSES_MAX);

	for (size_t i = 0; i < vtb_json_count(classes) && vtb_json_status(doc) >= 0; i++) {
		if (vtb_array_room(ret, classes) < 0)
			vtb_json_fail(doc, root, "classes", 0, -ENOMEM, "not enough memory");
		else
			ret->classes[ret->n_classes++] = vtb_json_item_u64(doc, classes, i, UINT64_MAX);
	}
}

static void read_signatures(struct vtb_json *doc, const struct vtb_json_node *root, struct vtb_item_result *ret)
{
	const struct vtb_json_node *signatures = vtb_json_get_array(doc, root, "signatures", VTB_ITEM_FAILURES_MAX);
	const size_t n = vtb_json_count(signatures);

	ret->signatures = calloc(n + 1, sizeof(*ret->signatures));
	if (!ret->signatures)
		vtb_json_fail(doc, root, "signatures", 0, -ENOMEM, "not enough memory");
	for (size_t i = 0; i < n && vtb_json_status(doc) >= 0; i++) {
		ret->signatures[i] = strdup(vtb_json_item_string(doc, signatures, i));
		if (!ret->signatures[i])
			vtb_json_fail(doc, root, "signatures", 0, -ENOMEM, "not enough memory");
	}
}

static int read_shown(struct vtb_json *doc, const struct vtb_json_node *root, struct vtb_item_result *ret)
{
	int r;

	ret->seconds = vtb_item_real_read(doc, root, "seconds", 0);
	vtb_item_facts_read(doc, root, &ret->facts);
	read_classes(doc, root, ret);
	read_signatures(doc, root, ret);
	r = vtb_json_status(doc);
	if (r >= 0)
		r = vtb_schedules_read_member(doc, root, "failures", &ret->failures);
	if (r >= 0 && ret->failures.n_schedules != vtb_argv_count(ret->signatures))
		r = vtb_json_fail(doc, root, "signatures", 0, -VTB_E_SCHEMA, "there are %zu schedules of failures",
		                  ret->failures.n_schedules);
	return r;
}

int vtb_item_result_read(struct vtb_json *doc, struct vtb_item_result *ret)
{
	const struct vtb_json_node *root = vtb_json_root(doc);
	int r = vtb_json_expect(doc, root, "vtb-item-result", VTB_ITEM_VERSION);

	*ret = (struct vtb_item_result){ 0 };
	if (r < 0)
		return r;
	ret->id = vtb_item_text_read(doc, root, "id", true);
	ret->state = read_state(doc, root);
	ret->why = vtb_item_text_read(doc, root, "why", false);
	r = vtb_json_status(doc);
	if (r >= 0 && (ret->state == VTB_ITEM_COMPLETED || ret->state == VTB_ITEM_CUT))
		r = read_shown(doc, root, ret);
	if (r < 0)
		vtb_item_result_fini(ret);
	return r;
}
