/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause_read.h"
#include "vtb/argv.h"
#include "format_parts.h"
#include "found_file.h"
#include "outcome.h"
#include "suspicion_read.h"
#include "vtb/array.h"
#include "vtb/output.h"
#include "vtb/short_name.h"

void vtb_failure_init(struct vtb_failure *f)
{
	*f = (struct vtb_failure){ .left.thread = VTB_NONE, .entered.thread = VTB_NONE };
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		f->heap[i].thread = VTB_NONE;
	vtb_trace_init(&f->trace);
	vtb_trace_init(&f->passing);
}

void vtb_failure_fini(struct vtb_failure *f)
{
	vtb_schedules_fini(&f->schedule);
	vtb_trace_fini(&f->trace);
	vtb_trace_fini(&f->passing);
	vtb_excerpts_fini(&f->sources);
	free(f->signature);
	free(f->left.sites);
	free(f->entered.sites);
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		free(f->heap[i].sites);
	vtb_said_fini(&f->said);
	free(f->replay_command);
	vtb_argv_free(f->files);
	vtb_argv_free(f->variants);
	free(f->statement);
	free(f->options.tier);
	free(f->options.engine);
	free(f->options.carrier);
	free(f->options.strategy);
	free(f->options.fail_if);
	free(f->options.expect_output);
	vtb_suspicions_fini(&f->suspicions);
	vtb_suspicions_fini(&f->warnings);
	vtb_causes_fini(&f->causes);
	vtb_kept_input_fini(&f->input);
	free(f->found.test);
	vtb_failure_init(f);
}

int vtb_stack_add(struct vtb_stack *stack, uint32_t site)
{
	const int r = vtb_array_room(stack, sites);

	if (r >= 0)
		stack->sites[stack->n_sites++] = site;
	return r;
}

const char *vtb_heap_part_name(enum vtb_heap_part part)
{
	static const char *const names[] = {
		[VTB_HEAP_ALLOCATED] = "allocated", [VTB_HEAP_FREED] = "freed", [VTB_HEAP_USED] = "used"
	};

	return names[part];
}

bool vtb_failure_has_heap(const struct vtb_failure *f)
{
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		if (f->heap[i].n_sites)
			return true;
	return false;
}

char *vtb_stack_frame(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	const char *function = site < tab->n_sites ? tab->sites[site].function : "";
	char place[300], name[200];

	vtb_site_place(tab, site, place, sizeof(place));
	if (*function && tab->sites[site].line) /* without a line, the place names the function itself */
		snprintf(buf, size, "%s at %s", vtb_short_function(function, name, sizeof(name)), place);
	else
		snprintf(buf, size, "%s", place);
	return buf;
}

/* ---- writing */

static void write_text(struct vtb_json_writer *w, const char *key, const char *text)
{
	if (text)
		vtb_json_string(w, key, text);
}

static void write_tuple(struct vtb_json_writer *w, const struct vtb_failure *f)
{
	if (!f->tuple_known) {
		vtb_json_null(w, "tuple");
		return;
	}
	vtb_json_object_row(w, "tuple");
	vtb_json_u64(w, "c", f->tuple.c);
	vtb_json_u64(w, "v", f->tuple.v);
	vtb_json_u64(w, "t", f->tuple.t);
	vtb_json_end(w);
}

static void write_stack(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab,
                        const struct vtb_stack *stack)
{
	vtb_json_object_row(w, key);
	vtb_files_write_thread(w, "thread", tab, stack->thread);
	vtb_json_array_row(w, "sites");
	for (size_t i = 0; i < stack->n_sites && i < VTB_STACK_LIMIT; i++)
		vtb_json_u64(w, NULL, stack->sites[i]);
	vtb_json_end(w);
	vtb_json_end(w);
}

static void write_options(struct vtb_json_writer *w, const struct vtb_tool_options *o)
{
	vtb_json_object_row(w, "options");
	write_text(w, "tier", o->tier);
	write_text(w, "engine", o->engine);
	write_text(w, "carrier", o->carrier);
	write_text(w, "strategy", o->strategy);
	vtb_json_u64(w, "seed", o->seed);
	if (o->follow)
		vtb_json_u64(w, "follow_children", o->follow);
	if (o->real_time)
		vtb_json_bool(w, "real_time", true);
	write_text(w, "fail_if", o->fail_if);
	write_text(w, "expect_output", o->expect_output);
	vtb_json_end(w);
}

static void write_strings(struct vtb_json_writer *w, const char *key, char *const *strings)
{
	if (!strings)
		return;
	vtb_json_array_row(w, key);
	for (size_t i = 0; strings[i]; i++)
		vtb_json_string(w, NULL, strings[i]);
	vtb_json_end(w);
}

static void write_failure(struct vtb_json_writer *w, const struct vtb_failure *f, const struct vtb_events_ref *ref)
{
	vtb_json_object(w, NULL);
	vtb_json_string(w, "format", "vtb-failure");
	vtb_json_u64(w, "version", VTB_FAILURE_VERSION);
	vtb_json_string(w, "verdict", vtb_verdict_name(f->verdict));
	write_text(w, "signature", f->signature);
	write_tuple(w, f);
	vtb_json_u64(w, "confirmed", f->confirmed);
	write_text(w, "replay_command", f->replay_command);
	write_text(w, "statement", f->statement);
	vtb_found_write(w, &f->found);
	vtb_said_write(w, "output", &f->said);
	write_options(w, &f->options);
	vtb_kept_input_write(w, &f->input);
	write_strings(w, "files", f->files);
	write_strings(w, "variants", f->variants);
	if (f->suspicions.n_suspicions)
		vtb_suspicions_write(w, "suspects", &f->suspicions);
	if (f->warnings.n_suspicions)
		vtb_suspicions_write(w, "warnings", &f->warnings);
	vtb_causes_write(w, &f->causes);
	vtb_json_object(w, "last_switch");
	write_stack(w, "left", &f->trace.tab, &f->left);
	write_stack(w, "entered", &f->trace.tab, &f->entered);
	vtb_json_end(w);
	if (vtb_failure_has_heap(f)) {
		vtb_json_object(w, "heap");
		for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
			if (f->heap[i].n_sites)
				write_stack(w, vtb_heap_part_name(i), &f->trace.tab, &f->heap[i]);
		vtb_json_end(w);
	}
	vtb_files_write_schedules(w, "schedule", &f->schedule);
	vtb_files_write_trace(w, "trace", &f->trace, ref);
	if (f->passing.n_events && f->passing.n_events <= VTB_PASSING_EVENTS_MAX)
		vtb_files_write_trace(w, "passing", &f->passing, &(struct vtb_events_ref){ .separate = false });
	vtb_excerpts_write(w, "sources", &f->sources);
	vtb_json_end(w);
}

static int write_both(const struct vtb_failure *f, const char *path, struct vtb_events_writer *events,
                      struct vtb_error *err)
{
	struct vtb_output text = { .row = -1 };
	struct vtb_events_ref ref;
	struct vtb_json_writer w;
	int r = vtb_events_writer_add(events, f->trace.events, f->trace.n_events, err);

	if (r >= 0)
		r = vtb_events_writer_end(events, &ref, err);
	if (r >= 0)
		r = vtb_output_open(&text, path, err);
	if (r >= 0) {
		vtb_json_begin(&w, text.file);
		write_failure(&w, f, &ref);
		vtb_json_finish(&w);
		r = vtb_events_writer_commit(events, &text, err);
	}
	vtb_output_abort(&text);
	return r;
}

int vtb_failure_write(const struct vtb_failure *f, const char *path, struct vtb_error *err)
{
	struct vtb_events_writer *events;
	int r = vtb_events_writer_new(path, &events, err);

	if (r < 0)
		return r;
	r = write_both(f, path, events, err);
	vtb_events_writer_free(events);
	return r;
}

/* ---- reading */

static char *text_of(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	return vtb_files_strdup(doc, object, vtb_json_opt_string(doc, object, key, NULL));
}

static void read_tuple(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_failure *f)
{
	const struct vtb_json_node *tuple = vtb_json_opt_object(doc, object, "tuple");

	f->tuple_known = tuple;
	if (!tuple)
		return;
	f->tuple.c = (uint32_t)vtb_json_get_u64(doc, tuple, "c", UINT32_MAX);
	f->tuple.v = (uint32_t)vtb_json_get_u64(doc, tuple, "v", UINT32_MAX);
	f->tuple.t = (uint32_t)vtb_json_get_u64(doc, tuple, "t", UINT32_MAX);
}

static void read_stack(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                       struct vtb_symtab *tab, struct vtb_stack *stack)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, key);
	const struct vtb_json_node *sites = vtb_json_opt_array(doc, node, "sites", VTB_STACK_LIMIT);

	if (node)
		stack->thread = vtb_files_thread(doc, node, "thread", tab);
	for (size_t i = 0; i < vtb_json_count(sites) && vtb_json_status(doc) >= 0; i++) {
		const uint64_t site = vtb_json_item_u64(doc, sites, i, UINT32_MAX);

		if (site >= tab->n_sites)
			vtb_json_fail(doc, sites, NULL, i, -VTB_E_SCHEMA, "found %llu, but there are only %zu sites",
			              (unsigned long long)site, tab->n_sites);
		else
			vtb_files_check(doc, sites, vtb_stack_add(stack, (uint32_t)site));
	}
}

static char **read_strings(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, key, VTB_FILES_LIMIT);
	const size_t n = vtb_json_count(array);
	char **strings = array ? calloc(n + 1, sizeof(*strings)) : NULL;

	if (array && !strings)
		vtb_files_check(doc, array, -ENOMEM);
	for (size_t i = 0; strings && i < n; i++)
		if (!(strings[i] = vtb_files_strdup(doc, array, vtb_json_item_string(doc, array, i))))
			break;
	return strings;
}

static void read_options(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_tool_options *o)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, "options");

	o->tier = text_of(doc, node, "tier");
	o->engine = text_of(doc, node, "engine");
	o->carrier = text_of(doc, node, "carrier");
	o->strategy = text_of(doc, node, "strategy");
	o->seed = vtb_json_opt_u64(doc, node, "seed", UINT64_MAX, 0);
	o->follow = (uint32_t)vtb_json_opt_u64(doc, node, "follow_children", UINT32_MAX, 0);
	o->real_time = vtb_json_opt_bool(doc, node, "real_time", false);
	o->fail_if = text_of(doc, node, "fail_if");
	o->expect_output = text_of(doc, node, "expect_output");
}

static int read_failure(struct vtb_json *doc, const char *path, struct vtb_failure *f, struct vtb_error *err)
{
	const struct vtb_json_node *root = vtb_json_root(doc), *node, *switched, *heap;
	int r = vtb_json_expect(doc, root, "vtb-failure", VTB_FAILURE_VERSION);

	if (r < 0)
		return r;
	f->verdict = vtb_verdict_read(doc, root, "verdict");
	f->signature = text_of(doc, root, "signature");
	read_tuple(doc, root, f);
	f->confirmed = (uint32_t)vtb_json_opt_u64(doc, root, "confirmed", UINT32_MAX, 0);
	f->replay_command = text_of(doc, root, "replay_command");
	f->statement = text_of(doc, root, "statement");
	vtb_found_read(doc, root, &f->found);
	vtb_said_read(doc, root, "output", &f->said);
	read_options(doc, root, &f->options);
	vtb_kept_input_read(doc, root, &f->input);
	f->files = read_strings(doc, root, "files");
	f->variants = read_strings(doc, root, "variants");
	vtb_suspicions_read(doc, root, "suspects", &f->suspicions);
	vtb_suspicions_read(doc, root, "warnings", &f->warnings);
	vtb_causes_read(doc, root, &f->causes);
	node = vtb_json_get_object(doc, root, "schedule");
	if (vtb_json_status(doc) < 0 || vtb_files_read_schedules(doc, node, &f->schedule) < 0)
		return vtb_json_status(doc);
	if (f->schedule.n_schedules != 1)
		return vtb_json_fail(doc, node, "schedules", 0, -VTB_E_SCHEMA, "found %zu schedules, expected 1",
		                     f->schedule.n_schedules);
	node = vtb_json_get_object(doc, root, "trace");
	r = vtb_json_status(doc);
	if (r >= 0)
		r = vtb_files_read_trace(doc, node, path, &f->trace, err);
	if (r < 0)
		return r;
	node = vtb_json_opt_object(doc, root, "passing");
	if (node)
		r = vtb_files_read_trace(doc, node, path, &f->passing, err);
	if (r < 0)
		return r;
	vtb_excerpts_read(doc, root, "sources", &f->sources);
	switched = vtb_json_opt_object(doc, root, "last_switch");
	read_stack(doc, switched, "left", &f->trace.tab, &f->left);
	read_stack(doc, switched, "entered", &f->trace.tab, &f->entered);
	heap = vtb_json_opt_object(doc, root, "heap");
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		read_stack(doc, heap, vtb_heap_part_name(i), &f->trace.tab, &f->heap[i]);
	return vtb_json_status(doc);
}

int vtb_failure_read(const char *path, struct vtb_failure *ret, struct vtb_error *err)
{
	struct vtb_failure f;
	struct vtb_json *doc;
	int r = vtb_json_read(path, VTB_JSON_BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	vtb_failure_init(&f);
	r = read_failure(doc, path, &f, err);
	if (r < 0)
		vtb_failure_fini(&f);
	else
		*ret = f;
	vtb_json_free(doc);
	return r;
}
