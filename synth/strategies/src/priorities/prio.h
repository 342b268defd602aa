/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file prio.h
 * Ranks one branch of a finished run that has not been explored: one row of the table and one file each. Combined left
 * to right (--priority=mdpor,pb), ties to the newest. A priority never prunes.
 *
 * Order:     the branches of one run come in the order of their points, so what is looked up moves only forwards.
 * Ownership: struct vtb_prio_run is scratch memory, kept from run to run.
 * Source:    [GAMBIT10].
 */
#ifndef VTB_PRIO_H
#define VTB_PRIO_H

#include "vtb/strategy.h"

struct dpor; /* dpor.h */

struct vtb_branch {
	uint32_t point;  /* the choice stands before this event of the run */
	uint32_t before; /* the operation just done there: event of the run, or VTB_NONE */
	uint32_t target; /* thread chosen */
	uint32_t kind;   /* enum vtb_deviation_kind */
	uint32_t c;      /* of the new run */
};

/** One finished run, and what is known about it. */
struct vtb_prio_run {
	const struct vtb_space *space;
	const struct vtb_exec *x;
	uint32_t *op; /* by event: operations before it */
	size_t n_op, cap_op;
	uint32_t *next_of; /* by event: the next one of its thread, or VTB_NONE */
	size_t n_next_of, cap_next_of;
	uint32_t *first_of; /* by thread: its first event at or after the point last asked for */
	size_t n_first_of, cap_first_of;
	struct dpor *dpor; /* what partial-order reduction would try, if some priority asks */
};

struct vtb_prio {
	const char *name;   /* --priority=NAME */
	const char *help;   /* one line */
	bool races;         /* needs run->dpor */
	bool var, function; /* goes by the focus, which then is no bound */
	int64_t (*cost)(const struct vtb_branch *branch, struct vtb_prio_run *run); /* lower goes first */
};

/* The table of priorities: a line each. */
#define VTB_PRIO_ROWS(ROW) ROW(pb) ROW(dpor) ROW(mdpor) ROW(ss) ROW(rand) ROW(method) ROW(var) ROW(matters)
#define VTB_PRIO_DECLARE(name) extern const struct vtb_prio vtb_prio_##name;
VTB_PRIO_ROWS(VTB_PRIO_DECLARE)
#define VTB_PRIO_COUNT(name) +1u
#define VTB_PRIOS_MAX (0u VTB_PRIO_ROWS(VTB_PRIO_COUNT))

/** The rows of names joined by commas. Returns how many, or -EINVAL; then *ret_bad is the rest of `names` that begins
 * with the name that is not known. */
int vtb_prios_find(const char *names, const struct vtb_prio **ret, const char **ret_bad);

/** Look at a run. 0 or -ENOMEM. O(events), with races what partial-order reduction takes. */
int vtb_prio_run_begin(struct vtb_prio_run *run, const struct vtb_space *space, const struct vtb_exec *x, bool races);
void vtb_prio_run_fini(struct vtb_prio_run *run);
/** The next operation of `thread` at or after event `point`: what it did in the run, or was about to do; NULL unknown.
 */
const struct vtb_event *vtb_prio_next_operation(struct vtb_prio_run *run, uint32_t point, uint32_t thread);

#endif /* VTB_PRIO_H */
