/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording directory to a trace.
 *
 * Every thread has a file of its own. Sync records carry stamps that never contradict what happened; the accesses
 * between two stamps of a thread took place between them. So each thread is a row of segments, each ending in a stamped
 * record, and the segments are merged by that stamp:
 *
 *     thread 0   r w r [lock 3]      w [unlock 7]
 *     thread 1        w [post 5]            r r [lock 9]      ->  r w r lock3 · w post5 · w unlock7 · r r lock9
 *
 * A signal handler can make a thread's stamps fall; program order then wins.
 */
#include "ingest_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vtb/input.h"
#include "vtb/recording_meta.h"
#include "vtb/array.h"
#include "vtb/records.h"
#include "vtb/signature.h"
#include "wire_view.h"

#define NO_STAMP UINT64_MAX
#define THREAD_ENDED 2u /* vtb_wire_thread.state */

/* One thread's stream. */
struct cursor {
	struct vtb_input file;
	const uint64_t *words;
	size_t n_words, at, end; /* [at, end): the segment whose turn is next */
	uint64_t offset;         /* of words[0] in the file */
	uint64_t key;            /* stamp that ends the segment */
	uint64_t lost;           /* counted in LOST records */
	uint32_t slot, thread;
};

struct merge {
	struct vtb_ingest *in;
	const struct wire_view *view;
	const char *dir;
	struct vtb_trace *trace;
	struct cursor *cursors; /* by slot */
	size_t n_cursors;
	uint32_t *heap; /* cursor indexes, the smallest key on top; ties: the smaller slot */
	size_t n_heap;
	struct vtb_error *err;
	struct vtb_ingest_join *join;     /* NULL: records become events here */
	struct vtb_ingest_entry *entries; /* for the join */
	size_t n_entries, cap_entries;
	const struct vtb_ingest_sink *sink; /* NULL: events are kept */
	uint32_t *starts; /* by thread: the first place of the program that it was seen at, or VTB_NONE */
	size_t n_starts, cap_starts;
	struct vtb_event fail; /* the last; kind 0: none */
	uint64_t handed_on;
};

static void stream_path(const struct merge *g, uint32_t slot, char *buf, size_t size)
{
	snprintf(buf, size, "%s/thread-%" PRIu32 ".vtbe", g->dir, slot);
}

static int stream_error(const struct merge *g, const struct cursor *c, size_t word, int r, const char *text)
{
	char path[4096];

	stream_path(g, c->slot, path, sizeof(path));
	return vtb_error_set(g->err, r, path, c->offset + word * 8, "%s", text);
}

/* The file of a process that nobody has seen end: a copy with its tail behind the other records. */
static int join_tail(struct cursor *c, const char *path, struct vtb_error *err)
{
	const struct vtb_stream_header *h = c->file.data;
	const struct vtb_stream_stored *at = &h->stored[h->which & 1];
	const size_t size = c->file.size;
	uint64_t tail = UINT64_MAX;
	char *joined;

	if (at->bytes <= size - h->header_size && at->bytes % 8 == 0 &&
	    (uint64_t)h->tail + h->tail_size <= h->header_size && h->tail % 8 == 0)
		tail = vtb_records_in_tail(h, (const uint64_t *)((const char *)c->file.data + h->tail));
	if (tail == UINT64_MAX)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, stored),
		                     "%" PRIu64 " bytes of records, %" PRIu64 " of them stored in %" PRIu64
		                     ": the file has %zu bytes",
		                     h->used, at->records, at->bytes, size);
	joined = mmap(NULL, at->bytes + tail + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (joined == MAP_FAILED)
		return vtb_error_set(err, -errno, path, 0, "%s", vtb_strerror(-errno));
	memcpy(joined, (const char *)c->file.data + h->header_size, at->bytes);
	memcpy(joined + at->bytes, (const char *)c->file.data + h->tail, tail);
	c->n_words = (size_t)((at->bytes + tail) / 8);
	c->offset = h->header_size;
	vtb_input_unmap(&c->file);
	c->file = (struct vtb_input){ .data = joined, .size = c->n_words * 8 + 1 };
	c->words = (const uint64_t *)joined;
	return 0;
}

/* Made, perhaps sized, but not begun: the magic comes last, and the process was killed before. */
static bool not_begun(const struct vtb_stream_header *h, size_t size)
{
	static const char zeros[sizeof(h->magic)];

	return size == 0 || (size >= sizeof(*h) && !memcmp(h->magic, zeros, sizeof(zeros)) && h->used == 0);
}

/* Accesses in the short form, and runs of them, written out. */
static int expand(struct merge *g, struct cursor *c, const char *path)
{
	const struct vtb_record_sites sites = { .sites = g->view->sites,
		                                .n_sites = g->view->n_sites,
		                                .bias = g->view->header->sites_bias };
	size_t n, bad;
	uint64_t *words;
	const int r = vtb_records_size(c->words, c->n_words, &sites, &n, &bad);

	if (r == -VTB_E_LIMIT)
		return vtb_error_set(g->err, r, path, c->offset + bad * 8, "the records are more than %llu words",
		                     VTB_RECORDS_WORDS_MAX);
	if (r < 0)
		return vtb_error_set(g->err, r, path, c->offset + bad * 8,
		                     "a short record names a site that is not there, or a run goes on from too few");
	if (n == c->n_words) /* each short record becomes longer */
		return 0;
	words = mmap(NULL, n * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (words == MAP_FAILED)
		return vtb_error_set(g->err, -errno, path, 0, "%s", vtb_strerror(-errno));
	vtb_records_expand(c->words, c->n_words, &sites, words);
	vtb_input_unmap(&c->file);
	c->file = (struct vtb_input){ .data = words, .size = n * 8 };
	c->words = words;
	c->n_words = n;
	return 0;
}

static int check_stream(struct cursor *c, const char *path, struct vtb_error *err)
{
	const struct vtb_stream_header *h = c->file.data;
	const size_t size = c->file.size;

	if (size < sizeof(*h))
		return vtb_error_set(err, -VTB_E_FORMAT, path, size,
		                     "truncated: %zu bytes, an event file has at least %zu", size, sizeof(*h));
	if (memcmp(h->magic, VTB_STREAM_MAGIC, sizeof(h->magic)) != 0)
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0,
		                     "not an event file: expected magic \"" VTB_STREAM_MAGIC "\"");
	if (h->version != VTB_STREAM_VERSION)
		return vtb_error_set(err, -VTB_E_VERSION, path, offsetof(struct vtb_stream_header, version),
		                     "version %" PRIu32 ", expected %u", h->version, VTB_STREAM_VERSION);
	if (h->header_size < sizeof(*h) || h->header_size > size || h->header_size % 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, header_size),
		                     "header of %" PRIu32 " bytes, expected a multiple of 8 from %zu to %zu",
		                     h->header_size, sizeof(*h), size);
	if (h->slot != c->slot)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, slot),
		                     "events of slot %" PRIu32 ", expected slot %" PRIu32, h->slot, c->slot);
	if (h->tail)
		return join_tail(c, path, err);
	if (h->used > size - h->header_size || h->used % 8)
		return vtb_error_set(err, -VTB_E_FORMAT, path, offsetof(struct vtb_stream_header, used),
		                     "truncated: %" PRIu64 " bytes of records, %zu are there", h->used,
		                     size - h->header_size);
	c->words = (const uint64_t *)((const char *)c->file.data + h->header_size);
	c->n_words = (size_t)(h->used / 8);
	c->offset = h->header_size;
	return 0;
}

/* The events of a slot. A thread killed before it made its file has none. */
static int open_stream(struct merge *g, struct cursor *c)
{
	char path[4096];
	int r;

	stream_path(g, c->slot, path, sizeof(path));
	r = vtb_input_map(path, &c->file, g->err);
	if (r == -ENOENT) {
		if (g->err)
			*g->err = (struct vtb_error){ 0 };
		return 0;
	}
	if (r == 0 && not_begun(c->file.data, c->file.size))
		return 0;
	if (r == 0)
		r = check_stream(c, path, g->err);
	return r < 0 ? r : expand(g, c, path);
}

/* Find the end of the next segment. */
static int advance(struct merge *g, struct cursor *c)
{
	const uint64_t before = c->key;
	size_t at = c->end;

	c->at = at;
	c->key = NO_STAMP;
	while (at < c->n_words && c->key == NO_STAMP) {
		struct vtb_raw_record rec;
		const size_t used = vtb_raw_record_read(c->words + at, c->n_words - at, &rec);

		if (!used)
			return stream_error(
			    g, c, at, -VTB_E_FORMAT,
			    "a record runs past the end of the events, or its extra words do not fit its flags");
		if (!g->in->valid_kind[rec.kind])
			return stream_error(g, c, at, -VTB_E_FORMAT, "unknown event kind");
		if (rec.flags & VTB_REC_STAMP)
			c->key = rec.stamp > before ? rec.stamp : before;
		at += used;
	}
	c->end = at;
	return 0;
}

static bool goes_first(const struct merge *g, uint32_t a, uint32_t b)
{
	const struct cursor *x = &g->cursors[a], *y = &g->cursors[b];

	return x->key != y->key ? x->key < y->key : x->slot < y->slot;
}

static void sift_down(struct merge *g, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		uint32_t swap;

		if (child >= g->n_heap)
			return;
		if (child + 1 < g->n_heap && goes_first(g, g->heap[child + 1], g->heap[child]))
			child++;
		if (!goes_first(g, g->heap[child], g->heap[i]))
			return;
		swap = g->heap[i];
		g->heap[i] = g->heap[child];
		g->heap[child] = swap;
		i = child;
	}
}

/* Kinds that only steer the reading. */
bool vtb_ingest_is_kept(unsigned kind)
{
	return kind != VTB_E_FRAME && kind != VTB_E_STACK && kind != VTB_E_SWITCH && kind != VTB_E_DEVIATE &&
	       kind != VTB_E_BLOCK && kind != VTB_E_UNBLOCK && kind != VTB_E_THREAD_NAME;
}

/* Where each thread is first seen in the program's own code, and the last failure. */
static int note_event(struct merge *g, const struct vtb_event *e)
{
	const struct vtb_site *site = e->site == VTB_NONE ? NULL : &g->trace->tab.sites[e->site];
	const struct vtb_place place = { .function = site ? site->function : "", .file = site ? site->file : "" };

	if (e->kind == VTB_E_FAIL)
		g->fail = *e;
	while (g->n_starts <= e->thread) {
		if (vtb_array_room(g, starts) < 0)
			return -ENOMEM;
		g->starts[g->n_starts++] = VTB_NONE;
	}
	if (g->starts[e->thread] == VTB_NONE && site && site->line && e->kind != VTB_E_THREAD_BEGIN &&
	    !ingest_in_library(&place))
		g->starts[e->thread] = e->site;
	return 0;
}

static bool is_noted(const struct merge *g, const struct vtb_event *e)
{
	return e->kind != VTB_E_FAIL && e->thread < g->n_starts && g->starts[e->thread] != VTB_NONE;
}

#define AT_ONCE 4096u /* events handed on together */

static int hand_on(struct merge *g)
{
	struct vtb_trace *trace = g->trace;
	int r = g->sink && trace->n_events ? g->sink->take(trace->events, trace->n_events, g->sink->data) : 0;

	if (g->sink) {
		g->handed_on += trace->n_events;
		trace->n_events = 0;
	}
	return r;
}

static int add_event(struct merge *g, const struct vtb_event *e)
{
	if (g->handed_on + g->trace->n_events >= vtb_events_max())
		return vtb_error_set(g->err, -VTB_E_LIMIT, g->dir, 0,
		                     "has more than %" PRIu64 " events; --max-events=N reads more", vtb_events_max());
	if (vtb_array_room(g->trace, events) < 0)
		return -ENOMEM;
	g->trace->events[g->trace->n_events++] = *e;
	if (!is_noted(g, e) && note_event(g, e) < 0)
		return -ENOMEM;
	return g->sink && g->trace->n_events == AT_ONCE ? hand_on(g) : 0;
}

static int keep_entry(struct merge *g, const struct cursor *c, size_t words)
{
	if (vtb_array_room(g, entries) < 0)
		return -ENOMEM;
	g->entries[g->n_entries++] = (struct vtb_ingest_entry){ c->words + c->at, (uint32_t)words, c->slot };
	return 0;
}

static int emit_segment(struct merge *g, struct cursor *c)
{
	while (c->at < c->end) {
		struct vtb_raw_record rec;
		struct vtb_event e;
		const size_t used = vtb_raw_record_read(c->words + c->at, c->end - c->at, &rec);
		int r = g->join ? keep_entry(g, c, used) : vtb_ingest_event(g->in, c->thread, &rec, &e);

		if (r == 0 && !g->join && vtb_ingest_is_kept(rec.kind))
			r = add_event(g, &e);
		if (r < 0)
			return stream_error(g, c, c->at, r,
			                    r == -VTB_E_FORMAT ? "names a thread, kind or verdict that does not exist"
			                                       : vtb_strerror(r));
		if (rec.kind == VTB_E_LOST)
			c->lost += rec.value;
		c->at += used;
	}
	return 0;
}

/* Losses that no record tells of stand at the thread's end. A thread that came to its end must have had a stream: if
 * that is gone, nobody knows how much is missing. */
static int emit_lost(struct merge *g, const struct cursor *c, const struct vtb_wire_thread *t)
{
	struct vtb_event e = { .kind = VTB_E_LOST, .var = VTB_NONE, .site = VTB_NONE, .thread = (uint16_t)c->thread };

	if (t->lost > c->lost) {
		e.value = t->lost - c->lost;
		e.flags = VTB_EVF_VALUE;
	} else if (c->words || t->state != THREAD_ENDED) {
		return 0;
	}
	return add_event(g, &e);
}

static int run_merge(struct merge *g, const struct wire_view *view)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < g->n_cursors; i++) {
		r = advance(g, &g->cursors[i]);
		if (r == 0 && g->cursors[i].at < g->cursors[i].end)
			g->heap[g->n_heap++] = (uint32_t)i;
	}
	for (size_t i = g->n_heap; i > 0; i--)
		sift_down(g, i - 1);
	while (r == 0 && g->n_heap) {
		struct cursor *c = &g->cursors[g->heap[0]];

		r = emit_segment(g, c);
		if (r == 0)
			r = advance(g, c);
		if (r == 0 && c->at == c->end)
			g->heap[0] = g->heap[--g->n_heap];
		sift_down(g, 0);
	}
	for (size_t i = 0; r == 0 && i < g->n_cursors; i++) {
		g->trace->lost +=
		    g->cursors[i].lost > view->threads[i].lost ? g->cursors[i].lost : view->threads[i].lost;
		r = emit_lost(g, &g->cursors[i], &view->threads[i]);
	}
	if (view->header->lost > g->trace->lost)
		g->trace->lost = view->header->lost;
	return r;
}

static int start_name(struct merge *g, uint32_t thread, uint64_t start)
{
	const struct vtb_ingest_module *m = start ? vtb_ingest_module_at(g->in, start) : NULL;
	struct vtb_place place;

	if (!m)
		return 0;
	vtb_symbols_place(g->in->symbols, m->path, start - m->base, &place);
	g->trace->tab.threads[thread].start = vtb_symtab_string(&g->trace->tab, place.function);
	return g->trace->tab.threads[thread].start ? 0 : -ENOMEM;
}

static int add_stack(struct merge *g, const struct vtb_wire_thread *t, uint32_t thread)
{
	if (t->stack_hi <= t->stack_lo)
		return 0;
	if (vtb_array_room(g->in, stacks) < 0)
		return -ENOMEM;
	g->in->stacks[g->in->n_stacks++] = (struct stack_area){ t->stack_lo, t->stack_hi, thread };
	return 0;
}

/* Slots are handed out in order, so a parent's is below its child's; that also rules out cycles. */
static int take_thread(struct merge *g, const struct wire_view *view, uint32_t slot)
{
	const struct vtb_wire_thread *t = &view->threads[slot];
	struct cursor *c = &g->cursors[slot];
	uint32_t parent = VTB_NONE;
	int64_t id;
	int r;

	if (slot == 0 ? t->parent != VTB_NO_PATH : t->parent >= slot) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/process.vtb", g->dir);
		return vtb_error_set(g->err, -VTB_E_FORMAT, path, view->header->threads.offset + slot * sizeof(*t),
		                     "thread %" PRIu32 " has parent %" PRIu32 ", expected %s", slot, t->parent,
		                     slot ? "an earlier thread" : "none");
	}
	if (slot)
		parent = g->cursors[t->parent].thread;
	id = vtb_symtab_thread(&g->trace->tab, parent, t->nth);
	if (id < 0)
		return (int)id;
	c->slot = slot;
	c->thread = (uint32_t)id;
	r = vtb_ingest_set_slot(g->in, slot, c->thread);
	if (r == 0)
		r = start_name(g, c->thread, slot ? t->start : 0);
	if (r == 0)
		r = add_stack(g, t, c->thread);
	return r < 0 ? r : open_stream(g, c);
}

static int read_threads(struct merge *g, const struct wire_view *view)
{
	int r = 0;

	g->n_cursors = view->n_threads;
	g->cursors = calloc(view->n_threads + 1, sizeof(*g->cursors));
	g->heap = calloc(view->n_threads + 1, sizeof(*g->heap));
	if (!g->cursors || !g->heap)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < view->n_threads; i++)
		r = take_thread(g, view, i);
	return r < 0 ? r : run_merge(g, view);
}

/* Let the join see the threads, and hand it the records. */
static int run_join(struct merge *g, const struct wire_view *view)
{
	uint32_t *ids = calloc(g->n_cursors + 1, sizeof(*ids));
	int r;

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < g->n_cursors; i++)
		ids[i] = g->cursors[i].thread;
	g->join->entries = g->entries;
	g->join->n_entries = g->n_entries;
	g->join->threads = view->threads;
	g->join->ids = ids;
	g->join->n_threads = (uint32_t)g->n_cursors;
	g->join->symbols = g->in->symbols;
	r = g->join->run(g->join, g->in, g->trace, g->err);
	for (size_t i = 0; r == 0 && i < g->trace->n_events; i++)
		r = is_noted(g, &g->trace->events[i]) ? 0 : note_event(g, &g->trace->events[i]);
	free(ids);
	return r;
}

static void merge_fini(struct merge *g)
{
	for (size_t i = 0; g->cursors && i < g->n_cursors; i++)
		vtb_input_unmap(&g->cursors[i].file);
	free(g->cursors);
	free(g->heap);
	free(g->entries);
	free(g->starts);
}

/* A thread that starts in a library (std::thread) is better known by the first function of the program that it runs. */
static int name_starts(struct merge *g)
{
	struct vtb_symtab *tab = &g->trace->tab;

	for (size_t thread = 0; thread < g->n_starts; thread++) {
		const uint32_t site = g->starts[thread];
		const char *from, *to;

		if (site >= tab->n_sites || *tab->threads[thread].start)
			continue;
		ingest_bare_function(tab->sites[site].function, &from, &to);
		tab->threads[thread].start = vtb_symtab_printf(tab, "%.*s", (int)(to - from), from);
		if (!tab->threads[thread].start)
			return -ENOMEM;
	}
	return 0;
}

/* How it ended: what the runtime wrote, else what the recorder saw. */
static int set_outcome(const struct merge *g)
{
	struct vtb_outcome *o = &g->trace->outcome;

	if (g->fail.kind) {
		o->verdict = (enum vtb_verdict)g->fail.aux;
		o->thread = g->fail.thread;
		o->site = g->fail.site;
	}
	return vtb_signature(o, &g->trace->tab, NULL, 0);
}

static int ingest_directory(const char *dir, const struct vtb_input *block, const char *block_path,
                            struct vtb_symbols *symbols, struct vtb_ingest_join *join,
                            const struct vtb_ingest_sink *sink, struct vtb_trace *trace, struct vtb_error *err)
{
	struct merge g = { .dir = dir, .trace = trace, .err = err, .join = join, .sink = sink };
	struct wire_view view;
	int r = wire_view(block->data ? block->data : "", block->size, block_path, &view, err);

	if (r < 0)
		return r;
	if (view.header->mode != VTB_MODE_RECORD)
		return vtb_error_set(err, -VTB_E_FORMAT, block_path, offsetof(struct vtb_wire_header, mode),
		                     "mode %" PRIu32 ", expected %d (record)", view.header->mode, VTB_MODE_RECORD);
	r = vtb_ingest_new(&trace->tab, symbols, &g.in);
	if (r == 0)
		r = vtb_ingest_modules(g.in, block->data, block->size, err);
	if (r == 0)
		r = vtb_recording_meta(dir, trace, err);
	g.view = &view;
	if (r == 0)
		r = read_threads(&g, &view);
	if (r == 0 && join)
		r = run_join(&g, &view);
	if (r == 0)
		r = hand_on(&g);
	if (r == 0)
		r = name_starts(&g);
	if (r == 0)
		r = set_outcome(&g);
	merge_fini(&g);
	vtb_ingest_free(g.in);
	return r;
}

static int read_recording(const char *dir, struct vtb_ingest_join *join, const struct vtb_ingest_sink *sink,
                          struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_symbols *symbols = NULL;
	struct vtb_input block = { 0 };
	char path[4096];
	int r;

	if (err)
		*err = (struct vtb_error){ 0 };
	if (snprintf(path, sizeof(path), "%s/process.vtb", dir) >= (int)sizeof(path) - 64)
		return vtb_error_set(err, -ENAMETOOLONG, dir, 0, "path is too long");
	trace->order = VTB_ORDER_SYNC;
	r = vtb_input_map(path, &block, err);
	if (r == 0)
		r = vtb_symbols_new(&symbols);
	if (r == 0)
		r = ingest_directory(dir, &block, path, symbols, join, sink, trace, err);
	vtb_symbols_free(symbols);
	vtb_input_unmap(&block);
	if (r < 0 && err && !err->text[0])
		vtb_error_set(err, r, dir, 0, "%s", vtb_strerror(r));
	return r;
}

int vtb_ingest_recording(const char *dir, struct vtb_trace *trace, struct vtb_error *err)
{
	return vtb_ingest_recording_to(dir, NULL, trace, err);
}

int vtb_ingest_recording_joined(const char *dir, struct vtb_ingest_join *join, struct vtb_trace *trace,
                                struct vtb_error *err)
{
	return read_recording(dir, join, NULL, trace, err);
}

int vtb_ingest_recording_to(const char *dir, const struct vtb_ingest_sink *sink, struct vtb_trace *trace,
                            struct vtb_error *err)
{
	return read_recording(dir, NULL, sink, trace, err);
}
