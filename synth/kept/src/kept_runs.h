/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file kept_runs.h
 * One run to bytes and back. Runs of one hunt are alike: an event together with the threads that could have been chosen
 * in its place is a row, rows have numbers, and a run is how many rows it has in common with the run before it in its
 * block, and the numbers of the others.
 */
#ifndef VTB_KEPT_RUNS_H
#define VTB_KEPT_RUNS_H

#include "kept_names.h"
#include "vtb/exec.h"
#include "vtb/hash.h"

#define KEPT_ROWS_MAX (1u << 24)
#define KEPT_STRIDE_MAX (VTB_THREADS_LIMIT / 64)

struct kept_row {
	struct vtb_event event;
	size_t words; /* `stride` of them in kept_rows.words: struct vtb_exec, enabled */
	uint32_t stride;
	bool here; /* its ids are this process's; else the file's */
};

struct kept_tail {
	size_t at, size; /* in kept_rows.tails.bytes, with ids of the file */
};

struct kept_rows {
	struct kept_names *names;
	struct kept_row *rows;
	size_t n_rows, cap_rows;
	uint64_t *words;
	size_t n_words, cap_words;
	struct vtb_map64 by_content; /* fingerprint of a row with this process's ids -> its number */
	struct kept_tail *tail;
	size_t n_tail, cap_tail;
	struct kept_out tails;
	struct vtb_map64 tails_by_content;
};

/* The rows of a run, from which the next one of the block is told. */
struct kept_last {
	uint32_t *rows;
	size_t n_rows, cap_rows;
};

struct kept_run {
	struct vtb_hash128 key;
	uint64_t print; /* of whoever wrote it: equal ones in one file are one class; 0: none */
	bool brief, partial, owned;
	bool passed; /* struct vtb_exec, told: it says so */
};

void kept_rows_fini(struct kept_rows *rows);
void kept_rows_read(struct kept_rows *rows, struct kept_in *in);
void kept_tail_read(struct kept_rows *rows, struct kept_in *in);
/* Put the run, and before it what it needs, to `out`; *last changes. 0; 1: there are too many rows; -ENOMEM and the
 * like: nothing that was put may be used. */
int kept_run_put(struct kept_rows *rows, const struct kept_run *run, const struct vtb_exec *x, struct kept_last *last,
                 struct kept_out *out);
/* The beginning of a run's record. */
void kept_run_head(struct kept_in *in, struct kept_run *ret);
/* What follows it; *last changes. `x` is empty before; NULL: only *last is wanted. -VTB_E_FORMAT, -ESTALE, -ENOMEM: *x
 * is empty again. */
int kept_run_get(struct kept_rows *rows, const struct kept_run *run, struct kept_in *in, struct kept_last *last,
                 struct vtb_exec *x);

#endif /* VTB_KEPT_RUNS_H */
