/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VTB_KEPT_PRIV_H
#define VTB_KEPT_PRIV_H

#include "kept_file.h"
#include "kept_runs.h"
#include "vtb/keeper.h"

struct kept_learnt {
	uint64_t after, at; /* the run before it, itself */
};

/* Where runs lie that were in the file when it was opened. */
struct kept_index {
	struct vtb_map64 whole, brief; /* half of a key -> number of the block << 32 | place in it */
	uint64_t n_runs, last_run;     /* and the place of the last */
	struct kept_learnt *learnt;
	size_t n_learnt, cap_learnt;
	size_t n_blocks; /* looked at */
	/* the place that was looked at last: what follows it is read on from here */
	struct kept_out bytes; /* of the block */
	size_t block, at;
	bool read; /* `bytes` are that block's */
	struct kept_last last;
};

/* A call of run(). */
struct kept_batch {
	const struct vtb_schedule *const *schedules;
	struct vtb_exec *execs;
	size_t n;
	struct vtb_hash128 *keys;
	uint8_t *how;    /* by place */
	size_t *missing; /* places to be made */
	size_t n_missing;
	const struct vtb_schedule **asked; /* scratch */
	struct vtb_exec *made;
};
enum { KEPT_NOT, KEPT_ANSWERED, KEPT_MADE };

struct vtb_kept {
	struct vtb_keeper keeper;
	struct vtb_kept_opts opts;
	struct vtb_runner *runner;
	struct kept_file file;
	struct kept_names names;
	struct kept_rows rows;
	struct kept_index index;
	struct kept_out block; /* not written yet */
	struct kept_last last_added;
	uint64_t in_block;       /* runs */
	uint64_t prints_before;  /* the largest in the file when it was opened */
	struct vtb_map64 prints; /* of the file, told since told_to has changed -> of this runner */
	uint64_t told_to;
	uint64_t lessons;             /* of the runner, when that was last put */
	uint64_t latest_run;          /* place behind the last that was answered; 0: none */
	bool learn;                   /* and the runner does not know what was learnt by then */
	uint64_t quiet;               /* fingerprint of the sites that are */
	struct vtb_kept_facts latest; /* of the runs that were answered */
	uint64_t answered, comparable, made_again, written;
	double written_at, each; /* seconds of one run */
	bool full;
	char trouble[512];
	struct kept_out scratch;
};

/* ---- kept_index.c */
/* All of the file: names, rows, where runs are. */
int kept_index_read(struct vtb_kept *kept, struct vtb_error *err);
void kept_index_fini(struct kept_index *index);
/* The run with this key in *ret, a whole one or, if that will do, one told by its class. 1; 0: the file has none; or an
 * error. */
int kept_index_find(struct vtb_kept *kept, const struct vtb_hash128 *key, bool brief, struct kept_run *ret,
                    uint64_t *ret_place, struct vtb_exec *x, struct vtb_error *err);

/* What was learnt when the run at that place had been made: words in *ret, freed by the caller. Returns how many. */
size_t kept_index_learnt(struct vtb_kept *kept, uint64_t run, uint64_t **ret);

/* ---- kept_learn.c */
/* Put what the runner has learnt, if that is news. */
void kept_put_learnt(struct vtb_kept *kept);
/* Answers have brought names: the runner uses them, too. 0 or -ENOMEM. */
int kept_tell_names(struct vtb_kept *kept);
/* Before runs are made: tell the runner what answers imply. 0 or an error. */
int kept_tell_runner(struct vtb_kept *kept);

/* May a run of it pass over accesses? Its choices are drawn at other points then. */
static inline bool kept_passes_over(const struct vtb_kept *kept, const struct vtb_schedule *s)
{
	return kept->runner->owned && (s->brief || (s->sparse && kept->runner->sparse_pays));
}

/* ---- kept_answer.c: b->execs[i], if the file has it: 1; 0 it has not; or an error. */
int kept_answer(struct vtb_kept *kept, struct kept_batch *b, size_t i, struct vtb_error *err);

#endif /* VTB_KEPT_PRIV_H */
