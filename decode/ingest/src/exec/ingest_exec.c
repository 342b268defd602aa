/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One controlled run to a struct vtb_exec: the events in the order they took place in, and who could have been chosen
 * at each. Records that only speak of the run fold into that. SWITCH: whose records follow. THREAD_CREATE: the child is
 * enabled from the next row on; THREAD_END: not any more. BLOCK, UNBLOCK: the thread (slot in value, else whose records
 * these are) cannot do its next operation now; the event before made it possible. Waits that time or chance may end are
 * kept: exec.waits. DEVIATE: the next event is by a deviation. STATE: in which it is chosen. PENDING: at the end.
 */
#include "ingest_fold.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

/* Rows of `stride` words; the rows there are move apart, last first. */
static int widen(struct fold *f, uint32_t stride)
{
	struct vtb_exec *x = f->x;
	const size_t rows = x->stride ? x->n_enabled / x->stride : 0;
	uint64_t *now = realloc(f->now, stride * sizeof(*now));
	void *items = x->enabled;

	if (!now)
		return -ENOMEM;
	f->now = now;
	memset(now + x->stride, 0, (stride - x->stride) * sizeof(*now));
	now = realloc(f->waiting, stride * sizeof(*now));
	if (!now)
		return -ENOMEM;
	f->waiting = now;
	memset(now + x->stride, 0, (stride - x->stride) * sizeof(*now));
	if (rows * stride > x->cap_enabled &&
	    vtb_array_reserve(&items, &x->cap_enabled, rows * stride, sizeof(*x->enabled)) < 0)
		return -ENOMEM;
	x->enabled = items;
	for (size_t i = rows; i > 0; i--) {
		uint64_t *to = x->enabled + (i - 1) * stride;

		memmove(to, x->enabled + (i - 1) * x->stride, x->stride * sizeof(*to));
		memset(to + x->stride, 0, (stride - x->stride) * sizeof(*to));
	}
	x->n_enabled = rows * stride;
	x->stride = stride;
	return 0;
}

static int add_row(struct fold *f)
{
	struct vtb_exec *x = f->x;
	void *items = x->enabled;

	if (x->n_enabled + x->stride > x->cap_enabled) {
		if (vtb_array_reserve(&items, &x->cap_enabled, x->n_enabled + x->stride, sizeof(*x->enabled)) < 0)
			return -ENOMEM;
		x->enabled = items;
	}
	for (uint32_t i = 0; i < x->stride; i++)
		x->enabled[x->n_enabled + i] = f->now[i];
	/* whoever did it could do it */
	x->enabled[x->n_enabled + f->thread / 64] |= 1ull << f->thread % 64;
	x->n_enabled += x->stride;
	return 0;
}

/* Where the next event goes. */
static inline struct vtb_event *next_event(struct fold *f)
{
	return vtb_array_room(f->x, events) < 0 ? NULL : &f->x->events[f->x->n_events];
}

/* The one that stands there. */
static int add_event(struct fold *f)
{
	struct vtb_exec *x = f->x;
	struct vtb_event *e = &x->events[x->n_events];

	if (add_row(f) < 0)
		return -ENOMEM;
	f->vain_from = f->thread == f->again || e->kind == VTB_E_FAIL ? f->vain_from : SIZE_MAX;
	if (f->deviation && !vtb_event_stands_for_others(e) && e->kind != VTB_E_FAIL) {
		e->flags |= VTB_EVF_DEVIATED;
		e->deviation = f->deviation;
		e->place = f->place;
		f->deviation = 0;
	}
	x->n_events++;
	return 0;
}

static int switch_to(struct fold *f, uint64_t slot)
{
	const int64_t thread = ingest_thread_or_none(f, slot);

	if (thread < 0)
		return (int)thread;
	f->thread = (uint32_t)thread;
	return 0;
}

/* A signal may come to the thread early, or no longer. */
static int signal_due(struct fold *f, const struct vtb_raw_record *rec)
{
	const int64_t thread = ingest_thread_or_none(f, rec->value);
	struct vtb_exec *x = f->x;

	if (thread < 0 || thread == VTB_NONE)
		return thread < 0 ? (int)thread : 0;
	if (vtb_array_room(x, waits) < 0)
		return -ENOMEM;
	x->waits[x->n_waits++] = (struct vtb_wait){ .row = (uint32_t)x->n_events,
		                                    .thread = (uint16_t)thread,
		                                    .kind = VTB_E_SIGNAL_DUE,
		                                    .armed = rec->arg != 0 };
	return 0;
}

static int note_state(struct fold *f, const struct vtb_raw_record *rec)
{
	struct vtb_exec *x = f->x;

	if (vtb_array_room(x, states) < 0)
		return -ENOMEM;
	x->states[x->n_states++] =
	    (struct vtb_exec_state){ .lo = rec->value, .hi = rec->arg, .row = (uint32_t)x->n_events };
	return 0;
}

static int deviate(struct fold *f, const struct vtb_raw_record *rec)
{
	if (rec->arg < VTB_DEV_SWITCH || rec->arg > VTB_DEV_SIGNAL)
		return -VTB_E_FORMAT;
	f->deviation = (uint8_t)rec->arg;
	f->place = rec->arg == VTB_DEV_WAITER ? (uint16_t)rec->addr : 0;
	return 0;
}

/* An operation not done is told as what it would be. Of the slot in value, or of the thread whose records these are. */
static int add_pending(struct fold *f, const struct vtb_raw_record *rec)
{
	const int64_t thread = rec->flags & VTB_REC_VALUE ? ingest_thread_or_none(f, rec->value) : f->thread;
	struct vtb_event e;
	int r;

	if (thread < 0 || thread == VTB_NONE) /* a thread that was not born yet */
		return thread < 0 ? (int)thread : 0;
	r = vtb_ingest_event(f->in, (uint32_t)thread, rec, &e);
	if (r < 0 || e.aux == 0) /* 0: it was at none */
		return r;
	e.kind = (uint8_t)e.aux;
	e.aux = e.kind == VTB_E_COND_WAIT || e.kind == VTB_E_COND_WAKE ? VTB_NONE : 0;
	vtb_event_classify(&e);
	r = vtb_array_room(f->x, pending);
	if (r == 0)
		f->x->pending[f->x->n_pending++] = e;
	return r;
}

static int thread_created(struct fold *f, uint64_t slot)
{
	const int64_t child = ingest_thread_of_slot(f->in, slot);
	const uint32_t stride = (uint32_t)(f->in->tab->n_threads + 63) / 64;
	uint64_t blocked = 0;
	int r = child < 0 ? (int)child : 0;

	if (r == 0 && stride > f->x->stride)
		r = widen(f, stride);
	if (r == 0)
		r = add_event(f); /* its own row does not hold the child yet */
	(void)vtb_map64_get(&f->early, slot, &blocked);
	return r < 0 ? r : ingest_set_enabled(f, (uint32_t)child, !blocked);
}

/* A record that became the event *e. */
static int fold_event(struct fold *f, const struct vtb_raw_record *rec, const struct vtb_event *e)
{
	int r;

	switch (rec->kind) {
	case VTB_E_THREAD_CREATE:
		return thread_created(f, rec->addr);
	case VTB_E_THREAD_END:
		r = add_event(f);
		return r < 0 ? r : ingest_set_enabled(f, f->thread, false);
	case VTB_E_FAIL:
		f->fail_site = e->site;
		return add_event(f);
	case VTB_E_LOST:
		return add_event(f);
	case VTB_E_ATOMIC_RMW:
		r = add_event(f);
		if (r >= 0 && ingest_is_weak(rec))
			f->x->events[f->x->n_events - 1].flags |= VTB_EVF_WEAK;
		return r;
	case VTB_E_THREAD_JOIN:
	case VTB_E_SIGNAL_SEND:
		r = add_event(f);
		if (r >= 0 && (e->kind == VTB_E_THREAD_JOIN ? rec->arg == 1 : rec->arg >> 8 & 1))
			f->x->events[f->x->n_events - 1].flags |= VTB_EVF_TRY;
		return r;
	default:
		return vtb_event_is(e, VTB_EV_VISIBLE) || e->kind == VTB_E_OWNED ? add_event(f) : 0;
	}
}

static int fold_record(struct fold *f, const struct vtb_raw_record *rec)
{
	struct vtb_event *e;
	int r = f->stem ? ingest_in_stem(f, rec) : 0;

	if (r)
		return r < 0 ? r : 0;
	switch (rec->kind) {
	case VTB_E_SWITCH:
		return switch_to(f, rec->value);
	case VTB_E_BLOCK:
	case VTB_E_UNBLOCK:
		return ingest_block(f, rec);
	case VTB_E_PENDING:
		return add_pending(f, rec);
	case VTB_E_DEVIATE:
		return deviate(f, rec);
	case VTB_E_SIGNAL_DUE:
		return signal_due(f, rec);
	case VTB_E_STATE:
		return note_state(f, rec);
	case VTB_E_CLOCK_READ:
		return vtb_exec_add_clock_read(f->x, f->thread);
	case VTB_E_STACK:
		return 0;
	default:
		break;
	}
	if (f->thread == VTB_NONE)
		return -VTB_E_FORMAT;
	e = next_event(f);
	r = e ? vtb_ingest_event(f->in, f->thread, rec, e) : -ENOMEM;
	if (r < 0)
		return r;
	/* the short way for by far the most */
	return rec->kind == VTB_E_READ || rec->kind == VTB_E_WRITE ? add_event(f) : fold_event(f, rec, e);
}

/* SWITCH to a thread that is known: every second or third record. */
static inline bool switches(struct fold *f, const uint64_t *words, size_t n)
{
	const uint64_t usual = VTB_E_SWITCH << 8 | 1u << 4 | VTB_REC_VALUE;
	const struct vtb_ingest *in = f->in;

	if (n < 3 || (words[0] & 0xffff) != usual || words[2] >= in->n_slots || in->slots[words[2]] == VTB_NONE)
		return false;
	f->thread = in->slots[words[2]];
	return true;
}

#define LOOK_EVERY (1u << 16) /* records, between two looks at whether to leave off */

void vtb_ingest_until(struct vtb_ingest *in, struct vtb_stop *stop)
{
	in->stop = stop;
}

void vtb_ingest_leave_out(struct vtb_ingest *in, const struct vtb_stem *stem)
{
	in->stem = stem;
}

static bool leaves_off(struct fold *f)
{
	return ++f->records % LOOK_EVERY == 0 && vtb_stop_interrupted(f->in->stop) &&
	       vtb_stop_check(f->in->stop, true) < 0;
}

static int fold_all(struct fold *f, const uint64_t *words, size_t n, struct vtb_error *err)
{
	for (size_t at = 0; at < n;) {
		struct vtb_raw_record rec;
		size_t used;
		int r;

		if (!f->stem && switches(f, words + at, n - at)) {
			at += 3;
			continue;
		}
		used = vtb_raw_record_read(words + at, n - at, &rec);
		if (!used)
			return vtb_error_set(
			    err, -VTB_E_FORMAT, NULL, at * 8,
			    "a record runs past the end of the events, or its extra words do not fit its flags");
		if (!f->in->valid_kind[rec.kind])
			return vtb_error_set(err, -VTB_E_FORMAT, NULL, at * 8, "unknown event kind %u", rec.kind);
		r = fold_record(f, &rec);
		if (r < 0)
			return vtb_error_set(err, r, NULL, at * 8, "%s record: %s", vtb_event_info(rec.kind)->name,
			                     r == -VTB_E_FORMAT ? "names a thread or kind that does not exist"
			                                        : vtb_strerror(r));
		at += used;
		if (leaves_off(f))
			return vtb_error_set(err, vtb_stop_check(f->in->stop, true), NULL, 0, "stopped");
	}
	return 0;
}

#define USUAL_MAX 1024u /* events */

/* Runs of one program are about as long as each other. */
static int room_as_usual(struct fold *f)
{
	const size_t n = f->in->usual < USUAL_MAX ? f->in->usual : USUAL_MAX;
	void *events = f->x->events, *enabled = f->x->enabled;
	int r = vtb_array_reserve(&events, &f->x->cap_events, n, sizeof(*f->x->events));

	f->x->events = events;
	if (r < 0)
		return r;
	r = vtb_array_reserve(&enabled, &f->x->cap_enabled, n * f->x->stride, sizeof(*f->x->enabled));
	f->x->enabled = enabled;
	return r;
}

static int begin(struct fold *f)
{
	const int64_t main_thread = vtb_symtab_thread(f->in->tab, VTB_NONE, 0);
	int r = main_thread < 0 ? (int)main_thread : vtb_ingest_set_slot(f->in, 0, (uint32_t)main_thread);

	if (r == 0)
		r = widen(f, (uint32_t)(f->in->tab->n_threads + 63) / 64);
	f->thread = (uint32_t)main_thread;
	if (r == 0)
		r = room_as_usual(f);
	return r < 0 ? r : ingest_set_enabled(f, f->thread, true);
}

int vtb_ingest_exec(struct vtb_ingest *in, const uint64_t *words, size_t n_words,
                    const struct vtb_wire_outcome *outcome, struct vtb_exec *exec, struct vtb_error *err)
{
	struct fold f = {
		.in = in, .x = exec, .fail_site = VTB_NONE, .again = VTB_NONE, .vain_from = SIZE_MAX, .stem = in->stem
	};
	int r;

	vtb_ingest_begin_run(in);
	r = begin(&f);
	if (r == 0)
		r = fold_all(&f, words, n_words, err);
	if (r == 0)
		r = ingest_outcome(in, exec, outcome, f.fail_site, err);
	if (f.stray)
		exec->outcome.flags |= VTB_OUT_DIVERGED;
	exec->n_vain = f.vain_from < exec->n_events ? (uint32_t)(exec->n_events - f.vain_from) : 0;
	in->usual = exec->n_events;
	exec->kinds = VTB_EXEC_ALL_KINDS | VTB_EXEC_LATE_UNDER_LOCK;
	free(f.now);
	free(f.waiting);
	vtb_map64_fini(&f.early);
	if (r < 0)
		vtb_exec_fini(exec);
	return r;
}
