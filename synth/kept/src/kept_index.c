/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which runs a file has, and one of them. */
#include <errno.h>
#include <stdlib.h>

#include "kept_priv.h"
#include "kept_records.h"

static uint64_t half(const struct vtb_hash128 *key)
{
	return key->lo ^ key->hi >> 1;
}

void kept_index_fini(struct kept_index *index)
{
	vtb_map64_fini(&index->whole);
	vtb_map64_fini(&index->brief);
	free(index->bytes.bytes);
	free(index->last.rows);
	free(index->learnt);
}

static void note_run(struct vtb_kept *kept, size_t block, size_t at, struct kept_in *in)
{
	struct kept_run run;

	kept_run_head(in, &run);
	in->bad |= !vtb_map64_put(run.brief ? &kept->index.brief : &kept->index.whole, half(&run.key),
	                          (uint64_t)block << 32 | at);
	kept->prints_before = run.print > kept->prints_before ? run.print : kept->prints_before;
	kept->index.n_runs++;
	kept->index.last_run = (uint64_t)block << 32 | at;
}

static void note_learnt(struct vtb_kept *kept, uint64_t place, struct kept_in *in)
{
	const struct kept_learnt l = { .after = kept->index.last_run, .at = place };

	if (vtb_array_room(&kept->index, learnt) < 0)
		in->bad = true;
	else
		kept->index.learnt[kept->index.n_learnt++] = l;
}

/* Kind and size of the record there are read into *record, behind which it goes on. */
static enum kept_record next_record(struct kept_in *in, struct kept_in *record)
{
	const enum kept_record kind = (enum kept_record)kept_get_to(in, KEPT_RECORDS - 1);
	const uint64_t n = kept_get_to(in, (uint64_t)(in->end - in->at));

	*record = (struct kept_in){ in->at, in->at + n, in->bad };
	in->at += n;
	return kind;
}

/* Of one record; *at: its place in the block. */
static void read_record(struct vtb_kept *kept, size_t block, size_t at, struct kept_in *in)
{
	struct kept_in record;
	const enum kept_record kind = next_record(in, &record);

	if (record.bad)
		return;
	if (kind == KEPT_RUN)
		note_run(kept, block, at, &record);
	else if (kind == KEPT_LEARNT)
		note_learnt(kept, (uint64_t)block << 32 | at, &record);
	else if (kind == KEPT_TAIL)
		kept_tail_read(&kept->rows, &record);
	else if (kind == KEPT_ROW)
		kept_rows_read(&kept->rows, &record);
	else
		kept_names_read(&kept->names, (enum kept_table)kind, &record);
	in->bad |= record.bad;
}

int kept_index_read(struct vtb_kept *kept, struct vtb_error *err)
{
	struct kept_out *bytes = &kept->index.bytes;

	for (size_t b = 0; b < kept->file.n_blocks; b++) {
		struct kept_in in;
		int r = kept_file_read(&kept->file, b, bytes, err);

		if (r < 0)
			return r;
		in = (struct kept_in){ bytes->bytes, bytes->bytes + bytes->n_bytes, false };
		while (in.at < in.end && !in.bad)
			read_record(kept, b, (size_t)(in.at - bytes->bytes), &in);
		if (in.bad)
			return vtb_error_set(err, -VTB_E_FORMAT, kept->file.path,
			                     kept->file.blocks[b].at + (uint64_t)(in.at - bytes->bytes),
			                     "a record that makes no sense");
		kept->index.n_blocks++;
	}
	return 0;
}

/* From the place that was looked at last, or from the beginning of the block, on to `at`. */
static int go_to(struct vtb_kept *kept, size_t block, size_t at, struct kept_in *in, struct vtb_error *err)
{
	struct kept_index *index = &kept->index;
	int r = 0;

	if (!index->read || index->block != block) {
		index->read = false;
		r = kept_file_read(&kept->file, block, &index->bytes, err);
	}
	if (r >= 0 && (!index->read || at < index->at)) {
		index->at = 0;
		index->last.n_rows = 0;
	}
	index->read = r >= 0;
	index->block = block;
	*in = (struct kept_in){ index->bytes.bytes + index->at, index->bytes.bytes + index->bytes.n_bytes, false };
	while (r >= 0 && !in->bad && (size_t)(in->at - index->bytes.bytes) < at) {
		struct kept_in record;
		struct kept_run run;

		if (next_record(in, &record) != KEPT_RUN)
			continue;
		kept_run_head(&record, &run);
		r = kept_run_get(&kept->rows, &run, &record, &index->last, NULL);
	}
	return r;
}

static int get(struct vtb_kept *kept, uint64_t place, struct kept_run *ret, struct vtb_exec *x, struct vtb_error *err)
{
	struct kept_in in, record = { 0 };
	int r = go_to(kept, (size_t)(place >> 32), (size_t)(place & UINT32_MAX), &in, err);

	if (r >= 0)
		next_record(&in, &record);
	if (r >= 0)
		kept_run_head(&record, ret);
	if (r >= 0 && record.bad)
		r = -VTB_E_FORMAT;
	if (r >= 0)
		r = kept_run_get(&kept->rows, ret, &record, &kept->index.last, x);
	kept->index.at = (size_t)(in.at - kept->index.bytes.bytes);
	kept->index.read &= r >= 0;
	return r;
}

/* The last one behind that run or one before. */
static const struct kept_learnt *learnt_by(const struct kept_index *index, uint64_t run)
{
	size_t lo = 0, hi = index->n_learnt;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (index->learnt[mid].after <= run)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &index->learnt[lo - 1] : NULL;
}

size_t kept_index_learnt(struct vtb_kept *kept, uint64_t run, uint64_t **ret)
{
	const struct kept_learnt *l = learnt_by(&kept->index, run);
	struct kept_out bytes = { 0 };
	struct kept_in in, record = { 0 };
	size_t n = 0;

	*ret = NULL;
	if (!l || kept_file_read(&kept->file, (size_t)(l->at >> 32), &bytes, NULL) < 0) {
		free(bytes.bytes);
		return 0;
	}
	in = (struct kept_in){ bytes.bytes + (l->at & UINT32_MAX), bytes.bytes + bytes.n_bytes, false };
	next_record(&in, &record);
	*ret = malloc((size_t)(record.end - record.at + 1) * sizeof(**ret));
	while (*ret && record.at < record.end)
		(*ret)[n++] = kept_get(&record);
	free(bytes.bytes);
	return n;
}

int kept_index_find(struct vtb_kept *kept, const struct vtb_hash128 *key, bool brief, struct kept_run *ret,
                    uint64_t *ret_place, struct vtb_exec *x, struct vtb_error *err)
{
	const uint64_t *place = vtb_map64_at(&kept->index.whole, half(key));
	int r;

	if (!place && brief)
		place = vtb_map64_at(&kept->index.brief, half(key));
	if (!place)
		return 0;
	*ret_place = *place;
	r = get(kept, *place, ret, x, err);
	if (r == -ESTALE)
		return vtb_error_set(err, r, kept->file.path, 0, "%s was built anew since its runs were made",
		                     kept->names.rebuilt);
	if (r < 0)
		return vtb_error_set(err, r, kept->file.path, kept->file.blocks[*place >> 32].at,
		                     "a run that makes no sense: %s", vtb_strerror(r));
	if (ret->key.lo == key->lo && ret->key.hi == key->hi)
		return 1;
	vtb_exec_fini(x);
	*x = (struct vtb_exec){ 0 };
	return 0;
}
