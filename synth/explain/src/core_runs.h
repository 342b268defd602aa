/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_runs.h
 * The runs that cores are taken from: at which position each operation took place, and which pairs of operations
 * conflict in some run.
 */
#ifndef VTB_CORE_RUNS_H
#define VTB_CORE_RUNS_H

#include "vtb/cores.h"
#include "vtb/map64.h"

enum core_ending { CORE_PASSED, CORE_FAILED, CORE_OTHER /* failed in another way, or proves nothing */ };

/* Words of 8 bytes, numbered from 1; 0: unknown. */
struct core_place {
	uint32_t first, last;
};

struct core_run {
	uint32_t *at;             /* operation -> its position in the run from 1; 0: it did not take place; owned */
	struct core_place *where; /* operation -> which memory it touched, or freed; owned */
	uint32_t n_at, length;
	enum core_ending ending;
	struct vtb_exec exec; /* of failing runs; owned */
	uint64_t *ended;      /* threads that were over when the run ended; of failing runs; owned */
	bool explained;       /* of failing runs: it has a core, or cannot be explained */
	bool forgotten;       /* there was no room for exec: no core is taken from it */
};

struct core_pair {
	uint32_t a, b; /* a < b */
};

struct core_runs {
	const struct vtb_symtab *tab; /* of the runner, borrowed */
	const char *signature;        /* of the failure in question */
	enum vtb_verdict verdict;
	struct vtb_core_op *ops;
	size_t n_ops, cap_ops;
	struct vtb_map64 op_ids, counts, pair_ids;
	struct core_pair *pairs;
	size_t n_pairs, cap_pairs;
	bool *fails_at; /* by operation: the last of the thread that failed, in some run */
	size_t n_fails_at, cap_fails_at;
	bool *outlives; /* by thread: it was not over when some run that passed was; owned */
	size_t n_outlives, cap_outlives;
	struct core_run *runs;
	size_t n_runs, cap_runs;
	uint64_t passing, failing, words, kept_events;
	bool full;                       /* there is no room for more */
	struct vtb_predicate *predicate; /* or NULL */
	bool (*stop)(void *data);        /* the time is over; may be NULL */
	void *data;
};

void core_runs_fini(struct core_runs *runs);

/** Take a run. 1 it is kept, 0 it proves nothing or there is no room, -ENOMEM. */
int core_runs_add(struct core_runs *runs, const struct vtb_exec *x);

static inline bool core_runs_stopped(const struct core_runs *runs)
{
	return runs->stop && runs->stop(runs->data);
}

static inline uint32_t core_at(const struct core_run *run, uint32_t op)
{
	return op < run->n_at ? run->at[op] : 0;
}

/** Have they touched different places in this run? Then nothing depends on which of them came first. */
static inline bool core_apart(const struct core_run *run, uint32_t a, uint32_t b)
{
	const struct core_place *x = &run->where[a], *y = &run->where[b];

	return x->first && y->first && (x->last < y->first || y->last < x->first);
}

/** Does `before < after` hold in it? Runs are made once for all orders of what does not conflict: of two that are apart
 * either may have come first in a run that passes, and none makes a run fail. */
static inline bool core_holds(const struct core_run *run, uint32_t before, uint32_t after)
{
	const uint32_t a = core_at(run, before), b = core_at(run, after);

	if (a && b && core_apart(run, before, after))
		return run->ending == CORE_PASSED;
	return a && (!b || a < b);
}

/** Say which number the operation has in its thread in this failing run (0: it did not take place). */
void core_number(const struct core_run *run, uint32_t op, struct vtb_core_op *ret);

/** Could `op`, which did not take place in the failing run, still have come? */
static inline bool core_may_come(const struct core_run *run, const struct vtb_core_op *op)
{
	return op->thread / 64 >= run->exec.stride || !(run->ended[op->thread / 64] >> op->thread % 64 & 1);
}

#endif /* VTB_CORE_RUNS_H */
