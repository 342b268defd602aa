/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_runs.h"

#include <errno.h>
#include <stdlib.h>

#include "kept_records.h"
#include "kept_rows.h"

enum { BRIEF = 1, PARTIAL = 2, OWNED = 4, PASSED = 8 };

/* ---- out */

static void put_head(const struct kept_run *run, struct kept_out *record)
{
	kept_put(record, (run->brief ? BRIEF : 0) | (run->partial ? PARTIAL : 0) | (run->owned ? OWNED : 0) |
	                     (run->passed ? PASSED : 0));
	kept_put_bytes(record, &run->key, sizeof(run->key));
	kept_put(record, run->print);
}

static void put_states(const struct vtb_exec *x, struct kept_out *record)
{
	kept_put(record, x->n_states);
	for (size_t i = 0; i < x->n_states; i++) {
		kept_put(record, x->states[i].row);
		kept_put_bytes(record, &x->states[i].lo, sizeof(x->states[i].lo));
		kept_put_bytes(record, &x->states[i].hi, sizeof(x->states[i].hi));
	}
}

static void put_passed(const struct vtb_exec *x, struct kept_out *record)
{
	kept_put(record, x->told);
	kept_put(record, x->n_passed);
	for (size_t i = 0; i < x->n_passed; i++) {
		kept_put(record, x->passed[i].from);
		kept_put(record, x->passed[i].n);
	}
}

/* Rows of *last from `same` on are those of x. */
static int put_rows(struct kept_rows *rows, const struct vtb_exec *x, struct kept_last *last, struct kept_out *out,
                    size_t *ret_same)
{
	const size_t before = last->n_rows;

	*ret_same = 0;
	if (x->n_enabled < x->n_events * x->stride)
		return -VTB_E_LIMIT;
	if (vtb_array_extend(last, rows, x->n_events, 0) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_events; i++) {
		const int64_t row =
		    kept_row_put(rows, &x->events[i], x->enabled ? x->enabled + i * x->stride : NULL, x->stride, out);

		if (row < 0)
			return (int)row;
		*ret_same += *ret_same == i && i < before && last->rows[i] == (uint32_t)row;
		last->rows[i] = (uint32_t)row;
	}
	last->n_rows = x->n_events;
	return 0;
}

int kept_run_put(struct kept_rows *rows, const struct kept_run *run, const struct vtb_exec *x, struct kept_last *last,
                 struct kept_out *out)
{
	struct kept_out record = { 0 };
	size_t same = 0;
	int64_t tail = 0;
	int r = run->brief ? 0 : put_rows(rows, x, last, out, &same);

	if (r >= 0 && !run->brief)
		tail = kept_tail_put(rows, x, out);
	r = tail < 0 ? (int)tail : r;
	put_head(run, &record);
	if (!run->brief && r >= 0) {
		kept_put(&record, (uint64_t)tail);
		kept_put(&record, x->stride);
		kept_put(&record, x->n_events);
		kept_put(&record, same);
		for (size_t i = same; i < x->n_events; i++)
			kept_put(&record, last->rows[i]);
		put_states(x, &record);
		if (run->passed)
			put_passed(x, &record);
	}
	r = r < 0 ? r : record.failed ? -ENOMEM : 0;
	if (r >= 0)
		kept_put_record(out, KEPT_RUN, &record);
	free(record.bytes);
	return r == -VTB_E_LIMIT ? 1 : r < 0 ? r : out->failed ? -ENOMEM : 0;
}

/* ---- in */

void kept_run_head(struct kept_in *in, struct kept_run *ret)
{
	const uint64_t flags = kept_get_to(in, BRIEF | PARTIAL | OWNED | PASSED);
	const uint8_t *key = kept_get_bytes(in, sizeof(ret->key));

	*ret = (struct kept_run){
		.brief = flags & BRIEF, .partial = flags & PARTIAL, .owned = flags & OWNED, .passed = flags & PASSED
	};
	if (key)
		memcpy(&ret->key, key, sizeof(ret->key));
	ret->print = kept_get(in);
	in->bad |= ret->brief && !ret->print;
}

static int get_rows(struct kept_in *in, struct kept_last *last)
{
	const uint64_t n = kept_get_to(in, UINT32_MAX), same = kept_get_to(in, n < last->n_rows ? n : last->n_rows);

	if (in->bad || n - same > (uint64_t)(in->end - in->at))
		return -VTB_E_FORMAT;
	last->n_rows = (size_t)same;
	if (vtb_array_extend(last, rows, (size_t)n, 0) < 0)
		return -ENOMEM;
	for (size_t i = (size_t)same; i < n; i++)
		last->rows[i] = (uint32_t)kept_get_to(in, UINT32_MAX);
	return in->bad ? -VTB_E_FORMAT : 0;
}

static int get_states(struct kept_in *in, struct vtb_exec *x)
{
	const uint64_t n = kept_get_to(in, (uint64_t)(in->end - in->at) / 16);

	for (uint64_t i = 0; i < n; i++) {
		struct vtb_exec_state s = { .row = (uint32_t)kept_get_to(in, UINT32_MAX) };
		const uint8_t *words = kept_get_bytes(in, sizeof(s.lo) + sizeof(s.hi));

		if (!words)
			return -VTB_E_FORMAT;
		memcpy(&s.lo, words, sizeof(s.lo));
		memcpy(&s.hi, words + sizeof(s.lo), sizeof(s.hi));
		if (vtb_array_room(x, states) < 0)
			return -ENOMEM;
		x->states[x->n_states++] = s;
	}
	return in->bad ? -VTB_E_FORMAT : 0;
}

static int get_passed(struct kept_in *in, struct vtb_exec *x)
{
	uint64_t n;

	x->told = (uint32_t)kept_get_to(in, UINT32_MAX);
	n = kept_get_to(in, (uint64_t)(in->end - in->at) / 2);
	for (uint64_t i = 0; i < n; i++) {
		if (vtb_array_room(x, passed) < 0)
			return -ENOMEM;
		x->passed[x->n_passed].from = kept_get(in);
		x->passed[x->n_passed++].n = kept_get(in);
	}
	return in->bad ? -VTB_E_FORMAT : 0;
}

/* Threads may have other numbers here, and so more words. */
static int widest(struct kept_rows *rows, const struct kept_last *last, uint32_t *stride)
{
	int r = 0;

	for (size_t i = 0; i < last->n_rows && r >= 0; i++) {
		const struct kept_row *row;

		r = kept_row_get(rows, last->rows[i], &row);
		*stride = r >= 0 && row->stride > *stride ? row->stride : *stride;
	}
	return r;
}

static int fill(struct kept_rows *rows, const struct kept_last *last, struct vtb_exec *x)
{
	const size_t n = last->n_rows;
	int r = widest(rows, last, &x->stride);

	if (r < 0)
		return r;
	x->events = malloc((n + 1) * sizeof(*x->events));
	x->enabled = calloc(n * x->stride + 1, sizeof(*x->enabled));
	if (!x->events || !x->enabled)
		return -ENOMEM;
	x->cap_events = n + 1;
	x->n_enabled = n * x->stride;
	x->cap_enabled = x->n_enabled + 1;
	for (; x->n_events < n; x->n_events++) {
		const struct kept_row *row = &rows->rows[last->rows[x->n_events]];

		x->events[x->n_events] = row->event;
		if (row->stride)
			memcpy(x->enabled + x->n_events * x->stride, rows->words + row->words,
			       row->stride * sizeof(*x->enabled));
	}
	return 0;
}

int kept_run_get(struct kept_rows *rows, const struct kept_run *run, struct kept_in *in, struct kept_last *last,
                 struct vtb_exec *x)
{
	uint32_t tail, stride;
	int r;

	if (x)
		*x = (struct vtb_exec){ .brief = run->brief, .partial = run->partial, .owned = run->owned };
	if (run->brief)
		return 0;
	tail = (uint32_t)kept_get_to(in, UINT32_MAX);
	stride = (uint32_t)kept_get_to(in, KEPT_STRIDE_MAX);
	r = get_rows(in, last);
	if (!x || r < 0)
		return r;
	x->stride = stride;
	r = fill(rows, last, x);
	if (r >= 0)
		r = get_states(in, x);
	if (r >= 0 && run->passed)
		r = get_passed(in, x);
	if (r >= 0)
		r = kept_tail_get(rows, tail, x);
	if (r < 0) {
		vtb_exec_fini(x);
		*x = (struct vtb_exec){ 0 };
	}
	return r;
}
