/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/event_words.h"
#include "format_parts.h"
#include "schedule_words.h"
#include "vtb/array.h"
#include "vtb/cli.h"

const char *const vtb_policy_words[VTB_POLICIES] = {
	[VTB_SCHEDULE_RUN_TO_BLOCK] = "run-to-block",
	[VTB_SCHEDULE_PRIORITY] = "priority",
	[VTB_SCHEDULE_RANDOM] = "random",
};

static const char *keep(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                        struct vtb_symtab *tab)
{
	const char *text = vtb_symtab_string(tab, vtb_json_opt_string(doc, object, key, ""));

	if (!text)
		vtb_files_check(doc, object, -ENOMEM);
	return text ? text : "";
}

static uint32_t small(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, uint32_t fallback)
{
	return (uint32_t)vtb_json_opt_u64(doc, object, key, UINT32_MAX, fallback);
}

/* A name without a kind is no name: then only the index counts. */
static struct vtb_opname read_name(struct vtb_json *doc, const struct vtb_json_node *op, struct vtb_symtab *tab)
{
	const char *word = vtb_json_opt_string(doc, op, "kind", NULL);
	const int kind = word ? vtb_event_kind_by_name(word) : 0;

	if (kind < 0)
		vtb_json_fail(doc, op, "kind", 0, -VTB_E_SCHEMA, "found \"%.40s\", which is no kind of event", word);
	if (kind <= 0)
		return (struct vtb_opname){ .function = "", .file = "", .variable = "", .site = VTB_NONE };
	return (struct vtb_opname){
		.kind = (uint32_t)kind,
		.function = keep(doc, op, "function", tab),
		.line_in_function = small(doc, op, "line_in_function", 0),
		.text_hash = vtb_json_opt_u64(doc, op, "text_hash", UINT64_MAX, 0),
		.file = keep(doc, op, "file", tab),
		.line = small(doc, op, "line", 0),
		.variable = keep(doc, op, "variable", tab),
		.occurrence = small(doc, op, "occurrence", 0),
		.site = vtb_files_ref(doc, op, "site", tab->n_sites, "sites"),
	};
}

static struct vtb_op read_op(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                             struct vtb_symtab *tab)
{
	const struct vtb_json_node *node = vtb_json_get_object(doc, object, key);
	const struct vtb_op op = {
		.thread = vtb_files_thread_named(doc, node, "thread", 0, vtb_json_get_string(doc, node, "thread"), tab),
		.index = (uint32_t)vtb_json_get_u64(doc, node, "index", UINT32_MAX),
		.name = read_name(doc, node, tab),
	};

	return op;
}

static uint32_t read_target(struct vtb_json *doc, const struct vtb_json_node *object, enum vtb_deviation_kind kind,
                            struct vtb_symtab *tab)
{
	if (vtb_deviation_targets_thread(kind))
		return vtb_files_thread_named(doc, object, "target", 0, vtb_json_get_string(doc, object, "target"),
		                              tab);
	return kind == VTB_DEV_WAITER ? (uint32_t)vtb_json_get_u64(doc, object, "place", UINT32_MAX) : 0;
}

static void read_deviations(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                            struct vtb_schedule *s)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "deviations", VTB_DEVIATIONS_LIMIT);

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++) {
		const struct vtb_json_node *node = vtb_json_item_object(doc, array, i);
		const struct vtb_op after = read_op(doc, node, "after", tab);
		const enum vtb_deviation_kind kind = (enum vtb_deviation_kind)vtb_files_choice(
		    doc, node, "kind", vtb_deviation_words, VTB_DEVIATION_KINDS, -1);
		const uint32_t target = read_target(doc, node, kind, tab);
		const uint32_t var = vtb_files_ref(doc, node, "var", tab->n_variables, "variables");
		const uint32_t cost = (uint32_t)vtb_json_opt_u64(doc, node, "cost", 1, 1);

		if (vtb_files_check(doc, node,
		                    vtb_schedule_deviate(s, after.thread, after.index, kind, target, var, cost)) >= 0)
			s->deviations[s->n_deviations - 1].after.name = after.name;
	}
}

static void read_constraints(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                             struct vtb_schedule *s)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "constraints", VTB_DEVIATIONS_LIMIT);

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++) {
		const struct vtb_json_node *node = vtb_json_item_object(doc, array, i);
		const struct vtb_op before = read_op(doc, node, "before", tab),
		                    after = read_op(doc, node, "after", tab);

		vtb_files_check(doc, node, vtb_schedule_constrain(s, before, after));
	}
}

static void read_reorders(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                          struct vtb_schedule *s)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "reorders", VTB_REORDERS_MAX);

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++) {
		const struct vtb_json_node *node = vtb_json_item_object(doc, array, i);
		const struct vtb_reorder o = { .first = read_op(doc, node, "first", tab),
			                       .second = read_op(doc, node, "second", tab),
			                       .var =
			                           vtb_files_ref(doc, node, "variable", tab->n_variables, "variables"),
			                       .essential = !vtb_json_has(node, "essential")
			                                        ? -1
			                                        : vtb_json_opt_bool(doc, node, "essential", true) };

		if (vtb_files_check(doc, node, vtb_array_room(s, reorders)) >= 0)
			s->reorders[s->n_reorders++] = o;
	}
}

/* "0.1" or "#2" */
static uint32_t read_rank(struct vtb_json *doc, const struct vtb_json_node *array, size_t i, struct vtb_symtab *tab)
{
	const char *text = vtb_json_item_string(doc, array, i);
	uint64_t fragment;

	if (text[0] != '#')
		return vtb_files_thread_named(doc, array, NULL, i, text, tab);
	if (vtb_cli_number(text + 1, 0, VTB_RANK_FRAGMENT_BIT - 1, &fragment) >= 0)
		return (uint32_t)fragment | VTB_RANK_FRAGMENT_BIT;
	vtb_json_fail(doc, array, NULL, i, -VTB_E_SCHEMA, "found \"%.40s\", expected a fragment like \"#2\"", text);
	return 0;
}

static void read_ranks(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                       struct vtb_schedule *s)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "ranks", VTB_DEVIATIONS_LIMIT);

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++) {
		const uint32_t rank = read_rank(doc, array, i, tab);

		if (vtb_files_check(doc, array, vtb_array_room(s, ranks)) >= 0)
			s->ranks[s->n_ranks++] = rank;
	}
}

static void read_schedule(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                          struct vtb_schedule *s)
{
	const struct vtb_json_node *tuple = vtb_json_opt_object(doc, object, "tuple");

	s->policy = (enum vtb_policy)vtb_files_choice(doc, object, "policy", vtb_policy_words, VTB_POLICIES, -1);
	s->seed = vtb_json_opt_u64(doc, object, "seed", UINT64_MAX, 0);
	s->note = vtb_files_strdup(doc, object, vtb_json_opt_string(doc, object, "note", NULL));
	if (tuple)
		s->tuple = (struct vtb_tuple){
			.l = small(doc, tuple, "l", 0),
			.c = small(doc, tuple, "c", 0),
			.v = small(doc, tuple, "v", 0),
			.t = small(doc, tuple, "t", 0),
		};
	read_ranks(doc, object, tab, s);
	read_deviations(doc, object, tab, s);
	read_constraints(doc, object, tab, s);
	read_reorders(doc, object, tab, s);
}

static int read_parts(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_schedules *s)
{
	const struct vtb_json_node *array;
	struct vtb_program program = { 0 };

	if (vtb_json_expect(doc, object, "vtb-schedules", VTB_SCHEDULES_VERSION) < 0 ||
	    vtb_files_read_program(doc, object, &program) < 0)
		return vtb_json_status(doc);
	s->argv = program.argv;
	s->cwd = program.cwd;
	free(program.backend);
	vtb_files_read_names(doc, object, &s->tab);
	array = vtb_json_get_array(doc, object, "schedules", VTB_SCHEDULES_LIMIT);
	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++) {
		if (vtb_files_check(doc, array, vtb_array_room(s, schedules)) < 0)
			break;
		s->schedules[s->n_schedules++] = (struct vtb_schedule){ 0 };
		read_schedule(doc, vtb_json_item_object(doc, array, i), &s->tab, &s->schedules[s->n_schedules - 1]);
	}
	return vtb_json_status(doc);
}

int vtb_files_read_schedules(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_schedules *ret)
{
	struct vtb_schedules s = { 0 };
	const int r = read_parts(doc, object, &s);

	if (r < 0)
		vtb_schedules_fini(&s);
	else
		*ret = s;
	return r;
}

int vtb_schedules_read_member(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                              struct vtb_schedules *ret)
{
	const struct vtb_json_node *node = vtb_json_get_object(doc, object, key);

	return vtb_json_status(doc) < 0 ? vtb_json_status(doc) : vtb_files_read_schedules(doc, node, ret);
}

int vtb_schedules_read(const char *path, struct vtb_schedules *ret, struct vtb_error *err)
{
	struct vtb_json *doc;
	const struct vtb_json_node *object;
	int r = vtb_json_read(path, VTB_JSON_BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	object = vtb_json_root(doc);
	if (!strcmp(vtb_json_format(doc), "vtb-failure")) /* holds the schedule that fails */
		object = vtb_json_get_object(doc, object, "schedule");
	r = vtb_json_status(doc);
	if (r >= 0)
		r = vtb_files_read_schedules(doc, object, ret);
	vtb_json_free(doc);
	return r;
}
