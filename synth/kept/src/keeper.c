/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/keeper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "kept_key.h"
#include "kept_priv.h"
#include "kept_records.h"

#define WRITE_SECONDS 1.0 /* what was made is in the file after so long */
#define CHUNK_SECONDS 6.0 /* and so long may runs take that are made at a time */
#define CHUNK_FIRST 4u

/* ---- how runs are made, and by what they are found */

static void note_quiet(struct vtb_runner *runner, const uint8_t *quiet, size_t n)
{
	struct vtb_kept *kept = (struct vtb_kept *)runner->keeper;

	kept->quiet = 0;
	for (size_t i = 0; i < n; i++)
		if (quiet[i]) /* in whatever order */
			kept->quiet += kept_key_site(runner->tab, (uint32_t)i) * 0x9e3779b97f4a7c15u;
}

static uint64_t manner_of(const struct vtb_kept *kept)
{
	const struct vtb_runner *r = kept->runner;
	const uint64_t of_runner = r->ops->manner ? r->ops->manner(r) : 0;
	const uint64_t all[] = { of_runner, kept->quiet,
		                 r->longest << 3 | (uint64_t)(r->stem != NULL) << 2 | (uint64_t)r->states << 1 |
		                     r->owned };

	return of_runner == VTB_RUNNER_ONLY_MADE ? VTB_RUNNER_ONLY_MADE : vtb_hash(all, sizeof(all));
}

/* ---- adding */

static struct kept_moment now(const struct vtb_kept *kept)
{
	struct vtb_kept_facts f = { 0 };

	if (kept->opts.now)
		kept->opts.now(kept->opts.data, &f);
	return (struct kept_moment){ f.seconds, f.uncontrolled, f.cross_checked };
}

static void give_up(struct vtb_kept *kept, bool full, const char *why)
{
	kept->full = full;
	snprintf(kept->trouble, sizeof(kept->trouble), "%s", why);
	kept->block.n_bytes = 0;
}

static void write_block(struct vtb_kept *kept)
{
	const struct kept_moment moment = now(kept);
	struct vtb_error err = { 0 };
	int r;

	kept->written_at = vtb_stop_clock();
	if (!kept->block.n_bytes || kept->trouble[0])
		return;
	r = kept_file_add(&kept->file, &kept->block, &moment, &err);
	kept->block.n_bytes = 0;
	kept->last_added.n_rows = 0;
	if (r > 0)
		give_up(kept, true, "the file is as large as it may be");
	else if (r < 0)
		give_up(kept, false, err.text);
	else
		kept->written += kept->in_block;
	kept->in_block = 0;
}

static void add(struct vtb_kept *kept, const struct vtb_hash128 *key, const struct vtb_exec *x)
{
	const size_t before = kept->block.n_bytes;
	const struct kept_run run = { .key = *key,
		                      .print = x->print ? kept->prints_before + x->print : 0,
		                      .brief = x->brief,
		                      .partial = x->partial,
		                      .owned = x->owned,
		                      .passed = x->told != 0 };
	int r = kept->trouble[0] ? 1 : kept_run_put(&kept->rows, &run, x, &kept->last_added, &kept->block);

	if (kept->trouble[0])
		return;
	kept->in_block += r == 0;
	if (r != 0) { /* what was put of it and is not there any more would be missed by the next one */
		kept->block.n_bytes = before;
		write_block(kept);
		give_up(kept, r > 0, r > 0 ? "runs have too many different events to be kept" : vtb_strerror(r));
	} else if (kept->block.n_bytes >= KEPT_BLOCK_BYTES_MAX / 2) {
		write_block(kept);
	}
}

/* ---- making */

/* Of a small file more than a part stays free. */
static bool is_enough(const struct vtb_kept *kept)
{
	const uint64_t part = kept->file.max ? kept->file.max / 16 : KEPT_BLOCK_BYTES;

	return kept->block.n_bytes >= KEPT_BLOCK_BYTES || kept->block.n_bytes >= part;
}

static int make(struct vtb_kept *kept, struct kept_batch *b, const size_t *places, size_t n, bool more,
                struct vtb_error *err)
{
	const double start = vtb_stop_clock();
	size_t done;
	int r;

	for (size_t k = 0; k < n; k++)
		b->asked[k] = b->schedules[places[k]];
	kept->runner->more = more;
	r = kept->runner->ops->run(kept->runner, b->asked, n, b->made, err);
	kept->runner->more = false;
	done = r == 0 ? n : r == -ECANCELED ? kept->runner->done : 0;
	for (size_t k = 0; k < done; k++) {
		b->execs[places[k]] = b->made[k];
		b->how[places[k]] = KEPT_MADE;
		add(kept, &b->keys[places[k]], &b->made[k]);
	}
	if (done)
		kept->each = (vtb_stop_clock() - start) / (double)done;
	kept_put_learnt(kept);
	if (vtb_stop_clock() - kept->written_at >= WRITE_SECONDS || is_enough(kept))
		write_block(kept);
	return r;
}

/* So many at a time that not much is lost. */
static size_t chunk(const struct vtb_kept *kept, size_t n)
{
	const double some = kept->each > 0 ? CHUNK_SECONDS / kept->each : CHUNK_FIRST;

	return some < 1 ? 1 : some < (double)n ? (size_t)some : n;
}

static int make_all(struct vtb_kept *kept, struct kept_batch *b, struct vtb_error *err)
{
	int r = b->n_missing ? kept_tell_runner(kept) : 0;

	for (size_t k = 0; k < b->n_missing && r >= 0;) {
		const size_t n = chunk(kept, b->n_missing - k);

		if (kept->each * (double)n > WRITE_SECONDS)
			write_block(kept);
		r = make(kept, b, b->missing + k, n, k + n < b->n_missing, err);
		k += n;
	}
	return r;
}

/* ---- a batch */

/* Up to the first that is missing they are the caller's, if the runner was stopped; else none. */
static void drop(struct vtb_kept *kept, struct kept_batch *b, bool cut)
{
	size_t i = 0;

	while (cut && i < b->n && b->how[i] != KEPT_NOT)
		i++;
	kept->runner->done = i;
	for (; i < b->n; i++) {
		vtb_exec_fini(&b->execs[i]);
		b->execs[i] = (struct vtb_exec){ 0 };
	}
}

static int run_batch(struct vtb_kept *kept, struct kept_batch *b, struct vtb_error *err)
{
	const uint64_t manner = manner_of(kept);
	int r = 0;

	for (size_t i = 0; i < b->n && r >= 0; i++) {
		const struct vtb_schedule *s = b->schedules[i];
		const bool passes_over = kept_passes_over(kept, s);

		if (!kept_key(s, kept->runner->tab, manner + passes_over, &kept->scratch, &b->keys[i]))
			r = -ENOMEM;
		if (r >= 0)
			r = kept_answer(kept, b, i, err);
		if (r == 0)
			b->missing[b->n_missing++] = i;
	}
	if (r >= 0)
		r = make_all(kept, b, err);
	if (r >= 0) /* the next run may be made without us, and must not name anew what answers have named */
		r = kept_tell_names(kept);
	if (r < 0)
		drop(kept, b, r == -ECANCELED);
	return r < 0 ? r : 0;
}

static int begin_batch(struct kept_batch *b, size_t n)
{
	b->n = n;
	b->keys = calloc(n + 1, sizeof(*b->keys));
	b->how = calloc(n + 1, sizeof(*b->how));
	b->missing = calloc(n + 1, sizeof(*b->missing));
	b->asked = calloc(n + 1, sizeof(*b->asked));
	b->made = calloc(n + 1, sizeof(*b->made));
	return b->keys && b->how && b->missing && b->asked && b->made ? 0 : -ENOMEM;
}

static void end_batch(struct kept_batch *b)
{
	free(b->keys);
	free(b->how);
	free(b->missing);
	free(b->asked);
	free(b->made);
}

static int run_kept(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                    struct vtb_exec *execs, struct vtb_error *err)
{
	struct vtb_kept *kept = (struct vtb_kept *)runner->keeper;
	struct kept_batch b = { .schedules = schedules, .execs = execs };
	int r;

	if (manner_of(kept) == VTB_RUNNER_ONLY_MADE) {
		r = kept_tell_runner(kept);
		return r < 0 ? r : runner->ops->run(runner, schedules, n, execs, err);
	}
	memset(execs, 0, n * sizeof(*execs));
	r = begin_batch(&b, n);
	r = r < 0 ? vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r)) : run_batch(kept, &b, err);
	end_batch(&b);
	return r;
}

/* ---- life */

int vtb_kept_open(const struct vtb_kept_opts *opts, struct vtb_kept **ret, struct vtb_error *err)
{
	struct vtb_kept *kept = calloc(1, sizeof(*kept));
	int r;

	if (!kept)
		return vtb_error_set(err, -ENOMEM, opts->path, 0, "%s", vtb_strerror(-ENOMEM));
	kept->keeper = (struct vtb_keeper){ .run = run_kept, .quiet = note_quiet };
	kept->opts = *opts;
	kept->rows.names = &kept->names;
	r = kept_file_open(&kept->file, opts->path, opts->identity, err);
	kept->file.max = opts->max_bytes;
	if (r >= 0)
		r = kept_index_read(kept, err);
	if (r < 0) {
		vtb_kept_free(kept);
		return r;
	}
	*ret = kept;
	return 0;
}

void vtb_kept_begin(struct vtb_kept *kept, struct vtb_runner *runner)
{
	kept->runner = runner;
	kept->names.tab = runner->tab;
	kept->written_at = vtb_stop_clock();
	runner->keeper = &kept->keeper;
}

void vtb_kept_end(struct vtb_kept *kept)
{
	if (kept->names.tab)
		write_block(kept);
}

void vtb_kept_free(struct vtb_kept *kept)
{
	if (!kept)
		return;
	kept_file_close(&kept->file);
	kept_rows_fini(&kept->rows);
	kept_names_fini(&kept->names);
	kept_index_fini(&kept->index);
	free(kept->block.bytes);
	free(kept->scratch.bytes);
	free(kept->last_added.rows);
	vtb_map64_fini(&kept->prints);
	free(kept);
}

void vtb_kept_stats(const struct vtb_kept *kept, struct vtb_kept_stats *ret)
{
	*ret = (struct vtb_kept_stats){ .found = kept->index.n_runs,
		                        .cut = kept->file.cut,
		                        .answered = kept->answered,
		                        .made_again = kept->made_again,
		                        .added = kept->written,
		                        .bytes = kept->file.size,
		                        .full = kept->full,
		                        .trouble = kept->trouble[0] ? kept->trouble : NULL };
	if (kept->index.n_blocks) {
		const struct kept_moment *m = &kept->file.blocks[kept->index.n_blocks - 1].moment;

		ret->last = (struct vtb_kept_facts){ m->seconds, m->uncontrolled, m->cross_checked };
	}
}
