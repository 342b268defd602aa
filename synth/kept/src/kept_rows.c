/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "kept_records.h"
#include "vtb/hash.h"
#include "vtb/wire.h"

void kept_rows_fini(struct kept_rows *rows)
{
	free(rows->rows);
	free(rows->words);
	free(rows->tail);
	free(rows->tails.bytes);
	vtb_map64_fini(&rows->by_content);
	vtb_map64_fini(&rows->tails_by_content);
}

/* ---- events */

static bool aux_is_variable(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

/* From this process's ids to the file's. */
int kept_event_put(struct kept_names *names, const struct vtb_event *e, struct kept_out *out, struct kept_out *record)
{
	const int64_t thread = kept_names_file(names, KEPT_THREADS, e->thread, out),
	              var = kept_names_file(names, KEPT_VARIABLES, e->var, out),
	              site = kept_names_file(names, KEPT_SITES, e->site, out),
	              aux = aux_is_variable(e) ? kept_names_file(names, KEPT_VARIABLES, e->aux, out) : e->aux;

	if (thread < 0 || var < 0 || site < 0 || aux < 0)
		return -EINVAL;
	kept_put(record, e->kind);
	kept_put_id(record, (uint32_t)thread);
	kept_put_id(record, (uint32_t)var);
	kept_put_id(record, (uint32_t)site);
	kept_put_id(record, (uint32_t)aux);
	kept_put(record, e->addr);
	kept_put(record, e->value);
	kept_put(record, e->size);
	kept_put(record, e->flags);
	kept_put(record, e->order);
	kept_put(record, e->deviation);
	kept_put(record, e->place);
	return 0;
}

void kept_event_get(struct kept_in *in, struct vtb_event *e)
{
	e->kind = (uint8_t)kept_get_to(in, UINT8_MAX);
	e->thread = (uint16_t)(kept_get_to(in, VTB_THREADS_LIMIT) - 1);
	e->var = (uint32_t)kept_get_to(in, UINT32_MAX) - 1;
	e->site = (uint32_t)kept_get_to(in, UINT32_MAX) - 1;
	e->aux = (uint32_t)kept_get_to(in, UINT32_MAX) - 1;
	e->addr = kept_get(in);
	e->value = kept_get(in);
	e->size = (uint32_t)kept_get_to(in, UINT32_MAX);
	e->flags = (uint8_t)kept_get_to(in, UINT8_MAX);
	e->order = (uint8_t)kept_get_to(in, UINT8_MAX);
	e->deviation = (uint8_t)kept_get_to(in, UINT8_MAX);
	e->place = (uint16_t)kept_get_to(in, UINT16_MAX);
	in->bad |= !vtb_event_info(e->kind);
}

/* From the file's ids to this process's. */
int kept_event_settle(struct kept_names *names, struct vtb_event *e)
{
	const int64_t thread = kept_names_session(names, KEPT_THREADS, e->thread),
	              var = kept_names_session(names, KEPT_VARIABLES, e->var),
	              site = kept_names_session(names, KEPT_SITES, e->site),
	              aux = aux_is_variable(e) ? kept_names_session(names, KEPT_VARIABLES, e->aux) : e->aux;

	if (thread < 0 || var < 0 || site < 0 || aux < 0)
		return (int)(thread < 0 ? thread : var < 0 ? var : site < 0 ? site : aux);
	e->thread = (uint16_t)thread;
	e->var = (uint32_t)var;
	e->site = (uint32_t)site;
	e->aux = (uint32_t)aux;
	return 0;
}

/* ---- rows */

static bool same_event(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->addr == b->addr && a->value == b->value && a->var == b->var && a->site == b->site &&
	       a->size == b->size && a->aux == b->aux && a->thread == b->thread && a->kind == b->kind &&
	       a->flags == b->flags && a->order == b->order && a->deviation == b->deviation && a->place == b->place;
}

static uint64_t content(const struct vtb_event *e, const uint64_t *words, uint32_t stride)
{
	const uint64_t of_event[] = { e->addr, e->value, (uint64_t)e->var << 32 | e->site,
		                      (uint64_t)e->size << 32 | e->aux,
		                      (uint64_t)e->thread << 48 | (uint64_t)e->kind << 40 | (uint64_t)e->flags << 32 |
		                          (uint64_t)e->order << 24 | (uint64_t)e->deviation << 16 | e->place };

	return vtb_hash_seed(words, stride * sizeof(*words), vtb_hash(of_event, sizeof(of_event)));
}

static int64_t add_row(struct kept_rows *rows, const struct vtb_event *e, const uint64_t *words, uint32_t stride,
                       bool here)
{
	void *all = rows->words;
	int r = rows->n_rows < KEPT_ROWS_MAX ? vtb_array_room(rows, rows) : -VTB_E_LIMIT;

	if (r >= 0 && rows->n_words + stride > rows->cap_words)
		r = vtb_array_reserve(&all, &rows->cap_words, rows->n_words + stride, sizeof(*rows->words));
	rows->words = all;
	if (r < 0)
		return r;
	if (stride)
		memcpy(rows->words + rows->n_words, words, stride * sizeof(*words));
	rows->rows[rows->n_rows] =
	    (struct kept_row){ .event = *e, .words = rows->n_words, .stride = stride, .here = here };
	rows->n_words += stride;
	return (int64_t)rows->n_rows++;
}

/* Threads as bits: each by its path in the other table. */
static int64_t other_thread(struct kept_rows *rows, uint32_t thread, struct kept_out *out)
{
	return out ? kept_names_file(rows->names, KEPT_THREADS, thread, out)
	           : kept_names_session(rows->names, KEPT_THREADS, thread);
}

/* From one table's ids to the other's; `out`: to the file's. */
static int turn_words(struct kept_rows *rows, const uint64_t *words, uint32_t stride, struct kept_out *out,
                      uint64_t to[KEPT_STRIDE_MAX], uint32_t *ret_stride)
{
	*ret_stride = stride;
	memset(to, 0, stride * sizeof(*to));
	for (uint32_t i = 0; i < stride; i++)
		for (uint64_t left = words[i]; left; left &= left - 1) {
			const int64_t t = other_thread(rows, i * 64 + (uint32_t)__builtin_ctzll(left), out);

			if (t < 0 || t / 64 >= KEPT_STRIDE_MAX)
				return t < 0 ? (int)t : -VTB_E_LIMIT;
			for (; t / 64 >= *ret_stride; ++*ret_stride)
				to[*ret_stride] = 0;
			to[t / 64] |= 1ull << t % 64;
		}
	return 0;
}

static int put_row(struct kept_rows *rows, const struct vtb_event *e, const uint64_t *words, uint32_t stride,
                   struct kept_out *out)
{
	struct kept_out record = { 0 };
	uint64_t to[KEPT_STRIDE_MAX];
	uint32_t n = 0;
	int r = kept_event_put(rows->names, e, out, &record);

	if (r >= 0)
		r = turn_words(rows, words, stride, out, to, &n);
	kept_put(&record, n);
	for (uint32_t i = 0; i < n && r >= 0; i++)
		kept_put(&record, to[i]);
	if (r >= 0 && !record.failed)
		kept_put_record(out, KEPT_ROW, &record);
	free(record.bytes);
	return r < 0 ? r : record.failed ? -ENOMEM : 0;
}

int64_t kept_row_put(struct kept_rows *rows, const struct vtb_event *e, const uint64_t *words, uint32_t stride,
                     struct kept_out *out)
{
	const uint64_t key = content(e, words, stride);
	const uint64_t *known = vtb_map64_at(&rows->by_content, key);
	const struct kept_row *row = known ? &rows->rows[*known] : NULL;
	int64_t number;
	int r;

	if (row && row->stride == stride && same_event(&row->event, e) &&
	    (!stride || !memcmp(rows->words + row->words, words, stride * sizeof(*words))))
		return (int64_t)*known;
	r = stride > KEPT_STRIDE_MAX ? -VTB_E_LIMIT : put_row(rows, e, words, stride, out);
	if (r < 0)
		return r;
	number = add_row(rows, e, words, stride, true);
	if (number < 0)
		return number;
	r = vtb_map64_set(&rows->by_content, key, (uint64_t)number);
	return r < 0 ? r : number;
}

void kept_rows_read(struct kept_rows *rows, struct kept_in *in)
{
	struct vtb_event e;
	uint64_t words[KEPT_STRIDE_MAX];
	uint32_t stride;

	kept_event_get(in, &e);
	stride = (uint32_t)kept_get_to(in, KEPT_STRIDE_MAX);
	for (uint32_t i = 0; i < stride; i++)
		words[i] = kept_get(in);
	in->bad |= in->bad || add_row(rows, &e, words, stride, false) < 0;
}

/* The first time that a row of the file is met. */
static int make_here(struct kept_rows *rows, struct kept_row *row)
{
	uint64_t to[KEPT_STRIDE_MAX];
	uint32_t n = 0;
	int r = kept_event_settle(rows->names, &row->event);

	if (r >= 0)
		r = turn_words(rows, rows->words + row->words, row->stride, NULL, to, &n);
	if (r >= 0 && n > row->stride) {
		const size_t at = rows->n_words;

		if (vtb_array_extend(rows, words, rows->n_words + n, 0) < 0)
			return -ENOMEM;
		row->words = at;
		row->stride = n;
	}
	if (r < 0)
		return r;
	if (n)
		memcpy(rows->words + row->words, to, n * sizeof(*to));
	row->here = true;
	return vtb_map64_set(&rows->by_content, content(&row->event, rows->words + row->words, row->stride),
	                     (uint64_t)(row - rows->rows));
}

int kept_row_get(struct kept_rows *rows, uint32_t number, const struct kept_row **ret)
{
	struct kept_row *row = number < rows->n_rows ? &rows->rows[number] : NULL;
	const int r = !row ? -VTB_E_FORMAT : row->here ? 0 : make_here(rows, row);

	*ret = row;
	return r;
}
