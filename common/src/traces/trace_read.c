/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "vtb/event_words.h"
#include "format_parts.h"
#include "outcome.h"
#include "vtb/array.h"

static const char *address_complaint(const struct vtb_event *e)
{
	if (e->flags & VTB_EVF_ADDR_UNKNOWN && (e->addr || e->var != VTB_NONE || e->flags & VTB_EVF_ADDR_SYMBOLIC))
		return "its address is unknown and yet given";
	if (e->flags & VTB_EVF_ADDR_SYMBOLIC && e->var == VTB_NONE)
		return "its address is in an object, but it names no variable";
	return NULL;
}

const char *vtb_event_complaint(const struct vtb_trace *trace, const struct vtb_event *e)
{
	if (!vtb_event_info(e->kind))
		return "its kind is not known";
	if (e->thread >= trace->tab.n_threads)
		return "its thread is not listed";
	if (e->var != VTB_NONE && e->var >= trace->tab.n_variables)
		return "its variable is not listed";
	if (e->site != VTB_NONE && e->site >= trace->tab.n_sites)
		return "its site is not listed";
	if (e->flags & ~VTB_EVF_IN_FILES)
		return "it has a flag that is not known";
	if (e->order >= VTB_MEMORY_ORDERS)
		return "its memory order is not known";
	if (e->deviation >= VTB_DEVIATION_KINDS)
		return "its deviation is not known";
	if ((e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE) && e->aux != VTB_NONE &&
	    e->aux >= trace->tab.n_variables)
		return "its mutex is not listed";
	if (e->kind == VTB_E_FAIL && e->aux >= VTB_VERDICTS)
		return "its verdict is not known";
	return e->flags & (VTB_EVF_ADDR_UNKNOWN | VTB_EVF_ADDR_SYMBOLIC) ? address_complaint(e) : NULL;
}

static bool too_many(struct vtb_json *doc, const struct vtb_json_node *object, uint64_t n)
{
	if (n > vtb_events_max())
		vtb_json_fail(doc, object, "events", 0, -VTB_E_LIMIT,
		              "found %" PRIu64 " events, at most %" PRIu64 " are read; --max-events=N reads more", n,
		              vtb_events_max());
	return n > vtb_events_max();
}

static int read_inline(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_trace *trace)
{
	const struct vtb_json_node *array = vtb_json_get_array(doc, object, "events", VTB_EVENTS_LIMIT);
	const size_t n = vtb_json_count(array);
	void *events = NULL;
	const int r = too_many(doc, object, n) ? vtb_json_status(doc)
	              : n ? vtb_array_reserve(&events, &trace->cap_events, n, sizeof(struct vtb_event))
	                  : 0;

	trace->events = events;
	if (r < 0)
		return vtb_files_check(doc, array, r);
	for (size_t i = 0; i < n && vtb_json_status(doc) >= 0; i++) {
		struct vtb_event *e = &trace->events[i];
		const char *complaint;

		vtb_event_read(doc, vtb_json_item_object(doc, array, i), &trace->tab, e);
		complaint = vtb_json_status(doc) < 0 ? NULL : vtb_event_complaint(trace, e);
		if (complaint)
			vtb_json_fail(doc, array, NULL, i, -VTB_E_SCHEMA, "%s", complaint);
		trace->n_events++;
	}
	return vtb_json_status(doc);
}

static bool plain_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/');
}

/* Who wants the events piece by piece; `take` NULL: nobody, they are held. */
struct taker {
	vtb_events_take *take;
	void *data;
};

static int read_separate(struct vtb_json *doc, const struct vtb_json_node *ref_node, const char *path,
                         struct vtb_trace *trace, struct taker to, struct vtb_error *err)
{
	const char *file = vtb_json_get_string(doc, ref_node, "file");
	struct vtb_events_ref ref = {
		.separate = true,
		.count = vtb_json_get_u64(doc, ref_node, "count", VTB_EVENTS_LIMIT),
		.xxh3 = vtb_json_get_u64(doc, ref_node, "xxh3", UINT64_MAX),
	};

	too_many(doc, ref_node, ref.count);
	if (vtb_json_status(doc) >= 0 && (!plain_name(file) || strlen(file) >= sizeof(ref.file)))
		vtb_json_fail(doc, ref_node, "file", 0, -VTB_E_SCHEMA,
		              "found \"%.60s\", expected the plain name of a file in the same directory", file);
	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	strcpy(ref.file, file);
	return vtb_events_read(path, &ref, trace, to.take, to.data, err);
}

static int read_parts(struct vtb_json *doc, const struct vtb_json_node *object, const char *path,
                      struct vtb_trace *trace, struct taker to, struct vtb_error *err)
{
	static const char *const orders[] = { [VTB_ORDER_TOTAL] = "total", [VTB_ORDER_SYNC] = "sync" };
	struct vtb_program program = { 0 };

	if (vtb_json_expect(doc, object, "vtb-trace", VTB_TRACE_VERSION) < 0 ||
	    vtb_files_read_program(doc, object, &program) < 0)
		return vtb_json_status(doc);
	trace->argv = program.argv;
	trace->cwd = program.cwd;
	trace->backend = program.backend;
	trace->order = (enum vtb_trace_order)vtb_files_choice(doc, object, "order", orders, 2, -1);
	trace->lost = vtb_json_opt_u64(doc, object, "lost", UINT64_MAX, 0);
	if (vtb_files_read_names(doc, object, &trace->tab) < 0)
		return vtb_json_status(doc);
	vtb_outcome_read(doc, object, "outcome", &trace->tab, &trace->outcome);
	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	if (vtb_json_is_object(object, "events"))
		return read_separate(doc, vtb_json_get_object(doc, object, "events"), path, trace, to, err);
	return read_inline(doc, object, trace);
}

/* Events in the text are held anyway. */
static int take_inline(struct vtb_trace *trace, struct taker to)
{
	const int r = trace->n_events ? to.take(trace->events, trace->n_events, to.data) : 0;

	free(trace->events);
	trace->events = NULL;
	trace->cap_events = 0;
	return r;
}

static int read_trace(struct vtb_json *doc, const struct vtb_json_node *object, const char *path, struct taker to,
                      struct vtb_trace *trace, struct vtb_error *err)
{
	int r = read_parts(doc, object, path, trace, to, err);

	return r >= 0 && to.take && trace->events ? take_inline(trace, to) : r;
}

int vtb_files_read_trace(struct vtb_json *doc, const struct vtb_json_node *object, const char *path,
                         struct vtb_trace *ret, struct vtb_error *err)
{
	struct vtb_trace trace;
	int r;

	vtb_trace_init(&trace);
	r = read_trace(doc, object, path, (struct taker){ NULL, NULL }, &trace, err);
	if (r < 0)
		vtb_trace_fini(&trace);
	else
		*ret = trace;
	return r;
}

static int with_document(const char *path, struct vtb_trace *ret, struct taker to, struct vtb_error *err)
{
	struct vtb_json *doc;
	const struct vtb_json_node *object;
	int r = vtb_json_read(path, VTB_JSON_BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	object = vtb_json_root(doc);
	if (!strcmp(vtb_json_format(doc), "vtb-failure")) /* holds the trace of the failing run */
		object = vtb_json_get_object(doc, object, "trace");
	r = vtb_json_status(doc);
	if (r >= 0)
		r = read_trace(doc, object, path, to, ret, err);
	vtb_json_free(doc);
	return r;
}

int vtb_trace_read(const char *path, struct vtb_trace *ret, struct vtb_error *err)
{
	struct vtb_trace trace;
	int r;

	vtb_trace_init(&trace);
	r = with_document(path, &trace, (struct taker){ NULL, NULL }, err);
	if (r < 0)
		vtb_trace_fini(&trace);
	else
		*ret = trace;
	return r;
}

int vtb_trace_scan(const char *path, struct vtb_trace *trace,
                   int (*take)(const struct vtb_event *events, size_t n, void *data), void *data, struct vtb_error *err)
{
	vtb_trace_init(trace); /* whoever takes the events looks at it */
	return with_document(path, trace, (struct taker){ take, data }, err);
}
