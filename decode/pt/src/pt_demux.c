/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_demux.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

#define OWNERS_MAX 64u

void vtb_pt_demux_fini(struct vtb_pt_demux *demux)
{
	free(demux->waiting);
	free(demux->ends);
	*demux = (struct vtb_pt_demux){ 0 };
}

static const struct vtb_pt_source *source_of(const struct vtb_pt_demux *demux)
{
	return &demux->session->sources[demux->source];
}

/* ------------------------------------------------------------------ owners */

/* Threads that ran on the CPU at some time in [lo, hi]; the idle task is none. Returns how many (each once, at most
 * OWNERS_MAX). */
static unsigned find_owners(const struct vtb_pt_demux *demux, uint64_t lo, uint64_t hi, uint32_t *tids)
{
	const struct vtb_pt_session *session = demux->session;
	const struct vtb_pt_source *source = source_of(demux);
	unsigned n = 0;

	if (source->tid != VTB_PT_NONE) {
		tids[0] = source->tid;
		return 1;
	}
	for (size_t i = 0; i < session->n_runs && n < OWNERS_MAX; i++) {
		const struct vtb_pt_run *run = &session->runs[i];
		bool known = run->tid == 0;

		if (run->cpu != source->cpu || run->in > hi || run->out <= lo)
			continue;
		for (unsigned k = 0; k < n; k++)
			known |= tids[k] == run->tid;
		if (!known)
			tids[n++] = run->tid;
	}
	return n;
}

static int add_span(struct vtb_pt_demux *demux, uint32_t tid, struct vtb_pt_span span)
{
	struct vtb_pt_thread *thread = vtb_pt_session_thread(demux->session, tid);

	if (!thread || vtb_array_room(thread, spans) < 0)
		return -ENOMEM;
	thread->spans[thread->n_spans++] = span;
	return 0;
}

/* The stretch belongs to `tid`: one span for each segment that it lies in. */
static int give(struct vtb_pt_demux *demux, uint32_t tid, const struct vtb_pt_stretch *st)
{
	for (uint32_t segment = st->first_segment; segment <= st->last_segment; segment++) {
		const struct vtb_pt_span span = {
			.tsc = st->lo,
			.source = demux->source,
			.segment = segment,
			.first = segment == st->first_segment ? st->first : 0,
			.end = segment == st->last_segment ? st->end : demux->ends[segment],
		};
		const int r = span.first < span.end ? add_span(demux, tid, span) : 0;

		if (r < 0)
			return r;
	}
	vtb_pt_session_thread(demux->session, tid)->instructions += st->instructions;
	return 0;
}

/* Owner unknown: nobody gets the instructions, everybody it could have been learns of the loss. */
static int give_up(struct vtb_pt_demux *demux, const uint32_t *tids, unsigned n, const struct vtb_pt_stretch *st)
{
	const struct vtb_pt_span span = { .tsc = st->lo,
		                          .source = demux->source,
		                          .segment = st->first_segment,
		                          .first = st->first,
		                          .end = st->first,
		                          .lost = true };

	if (!st->instructions) /* nothing ran before it broke off */
		return 0;
	demux->session->unowned += st->instructions;
	for (unsigned i = 0; i < n; i++) {
		const int r = add_span(demux, tids[i], span);

		if (r < 0)
			return r;
		vtb_pt_session_thread(demux->session, tids[i])->gaps++;
	}
	return 0;
}

/* A gap item goes to every thread that may have lost something in it. */
static int give_gap(struct vtb_pt_demux *demux, const uint32_t *tids, unsigned n, const struct vtb_pt_stretch *st)
{
	for (unsigned i = 0; i < n; i++) {
		const int r = give(demux, tids[i], st);

		if (r < 0)
			return r;
		vtb_pt_session_thread(demux->session, tids[i])->gaps++;
	}
	return 0;
}

static int settle(struct vtb_pt_demux *demux, const struct vtb_pt_stretch *st, uint64_t next)
{
	uint32_t tids[OWNERS_MAX];
	const unsigned n = find_owners(demux, st->lo, st->exact ? st->lo : next, tids);

	if (st->gap)
		return give_gap(demux, tids, n, st);
	return n == 1 ? give(demux, tids[0], st) : give_up(demux, tids, n, st);
}

static int settle_waiting(struct vtb_pt_demux *demux, uint64_t next)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < demux->n_waiting; i++)
		r = settle(demux, &demux->waiting[i], next);
	demux->n_waiting = 0;
	return r;
}

/* ------------------------------------------------------------------ stretches */

static int close_stretch(struct vtb_pt_demux *demux, uint32_t segment, uint32_t end, uint64_t inside)
{
	struct vtb_pt_stretch *st = &demux->current;

	if (!demux->open)
		return 0;
	demux->open = false;
	st->last_segment = segment;
	st->end = end;
	if (!st->exact && inside > st->lo) {
		st->lo = inside; /* a clock packet between the beginning and the end: the owner ran at that time */
		st->exact = true;
	}
	if (vtb_array_room(demux, waiting) < 0)
		return -ENOMEM;
	demux->waiting[demux->n_waiting++] = *st;
	return 0;
}

static void open_stretch(struct vtb_pt_demux *demux, uint32_t segment, uint32_t item, bool exact)
{
	if (demux->open)
		return;
	demux->open = true;
	demux->current = (struct vtb_pt_stretch){
		.lo = demux->now, .exact = exact && demux->now, .first_segment = segment, .first = item
	};
}

static int take_gap(struct vtb_pt_demux *demux, uint32_t segment, uint32_t at)
{
	int r = close_stretch(demux, segment, at, 0);

	if (r < 0)
		return r;
	open_stretch(demux, segment, at, false);
	demux->current.gap = true;
	return close_stretch(demux, segment, at + 1, 0);
}

static int take_item(struct vtb_pt_demux *demux, uint32_t segment, uint32_t at, const struct vtb_pt_item *item,
                     bool at_sync)
{
	switch (item->kind) {
	case VTB_PT_TIME:
		demux->now = item->value;
		if (demux->open && at_sync) { /* a PSB in the middle of a stretch */
			demux->current.lo = demux->now;
			demux->current.exact = true;
		}
		return demux->open ? 0 : settle_waiting(demux, demux->now);
	case VTB_PT_BLOCK:
		open_stretch(demux, segment, at, at_sync);
		demux->current.instructions += item->n;
		return 0;
	case VTB_PT_DISABLED:
		return close_stretch(demux, segment, at + 1, item->value);
	case VTB_PT_GAP:
		return take_gap(demux, segment, at);
	default: /* ENABLED, ASYNC, BRANCH */
		open_stretch(demux, segment, at, at_sync && item->kind != VTB_PT_ENABLED);
		return 0;
	}
}

/* The buffer of one thread needs no stretches: everything is its. */
static int take_own(struct vtb_pt_demux *demux, uint32_t segment, const struct vtb_pt_items *items)
{
	const uint32_t tid = source_of(demux)->tid;
	const struct vtb_pt_stretch st = { .lo = demux->now,
		                           .first_segment = segment,
		                           .last_segment = segment,
		                           .end = UINT32_MAX,
		                           .instructions = items->instructions };

	for (size_t i = 0; i < items->n_items; i++)
		if (items->items[i].kind == VTB_PT_TIME)
			demux->now = items->items[i].value;
	if (!items->n_items)
		return 0;
	if (give(demux, tid, &st) < 0)
		return -ENOMEM;
	vtb_pt_session_thread(demux->session, tid)->gaps += items->n_gaps;
	return 0;
}

int vtb_pt_demux_segment(struct vtb_pt_demux *demux, uint32_t segment, const struct vtb_pt_items *items, bool joined)
{
	bool at_sync = true; /* the PSB's own TSC: exact for what runs there */
	uint32_t marks = 0;
	int r = 0;

	if (source_of(demux)->tid != VTB_PT_NONE)
		return take_own(demux, segment, items);
	if (!joined && demux->open)
		r = close_stretch(demux, segment - 1, demux->ends[segment - 1], 0);
	for (size_t i = 0; r >= 0 && i < items->n_items; i++) {
		const uint32_t at = vtb_pt_position(items->items[i].kind, marks);

		r = take_item(demux, segment, at, &items->items[i], at_sync);
		at_sync &= items->items[i].kind == VTB_PT_TIME;
		marks += at & 1;
	}
	if (r >= 0 && vtb_array_room(demux, ends) < 0)
		r = -ENOMEM;
	if (r >= 0)
		demux->ends[demux->n_ends++] = 2 * marks + 1;
	return r;
}

int vtb_pt_demux_end(struct vtb_pt_demux *demux)
{
	int r = 0;

	if (demux->open)
		r = close_stretch(demux, (uint32_t)demux->n_ends - 1, demux->ends[demux->n_ends - 1], 0);
	return r < 0 ? r : settle_waiting(demux, UINT64_MAX);
}
