/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pctvb_draw.h
 * What pctvb and pcttb have in common: which variables two threads touch and how often, and change points drawn at a
 * few of them.
 *
 * A variable counts if two threads touch it: a change point after another access of a thread is the same as one after
 * its last access to a shared variable, or before its first operation. The blocks of one allocation site count as one
 * variable, so that Q is known before the next run allocates. k_q is the most that a run has shown; one that shows more
 * voids the bound of those before it. An access is named by thread and operation, as in the run that showed most of
 * them: exact for threads that do the same in every run.
 *
 * Selective instrumentation (vtb_space.stay), where it pays: the same v variables for an *epoch* of schedules. Its
 * first run shows where their accesses are and what else was done; the others are run without the rest, unless that run
 * had fewer accesses to them than another.
 */
#ifndef VTB_PCTVB_DRAW_H
#define VTB_PCTVB_DRAW_H

#include "pct_draw.h"
#include "vtb/bounded_map.h"

#define VTB_PCTVB_V_MAX 8u

/** A variable, or all blocks of one allocation site. */
struct vtb_pctvb_group {
	struct vtb_pct_point *points; /* its accesses in the run that had most */
	size_t n_points, cap_points;
	uint64_t key; /* see key_of() */
	size_t most;  /* accesses in the run that had most: n_points, or more if that run did not show all operations */
	uint32_t now; /* accesses in the run being looked at */
	uint32_t thread; /* that touched it first */
	bool shared;
};

/** The state of both. */
struct vtb_pctvb {
	const struct vtb_space *space;
	uint64_t rng;
	enum vtb_pct_order order;
	struct vtb_pctvb_group *groups;
	size_t n_groups, cap_groups;
	uint32_t *shared; /* groups that two threads have touched */
	size_t n_shared, cap_shared;
	struct vtb_bounded_map numbers; /* variable or site -> group + 1 */
	uint32_t *done;                 /* scratch: operations by thread */
	size_t n_done, cap_done;
	uint32_t d, v;
	uint64_t valid;
	uint32_t epoch;        /* schedules left with the variables drawn last; 0: every schedule draws its own */
	uint32_t n_drawn;      /* variables drawn: the first of `shared` */
	bool profiling;        /* the run being waited for is the first of an epoch */
	struct vtb_past past;  /* it; empty: schedules of this epoch are run whole */
	struct vtb_plan proto; /* variables of the epoch */
	struct vtb_chance_draw chances;
};

/** A search with c change points at v variables, its priorities in this order; `salt` tells strategies apart. 0 or
 * -ENOMEM. */
int vtb_pctvb_begin(const struct vtb_space *space, enum vtb_pct_order order, uint64_t salt, void **ret_state);
/** Of struct vtb_strategy. */
int64_t vtb_pctvb_next(void *state, struct vtb_plan *plans, size_t max);
int vtb_pctvb_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class);
void vtb_pctvb_end(void *state);

/** What both claims count. */
struct vtb_pctvb_counts {
	uint32_t n, v;
	uint64_t k;    /* accesses to the v most accessed shared variables */
	double chosen; /* chance that the v variables drawn are given ones: 1 / C(Q, v) */
	double hit;    /* that a change point is a given one: 1 / (n + k) */
};
struct vtb_pctvb_counts vtb_pctvb_count(const struct vtb_pctvb *p);

#endif /* VTB_PCTVB_DRAW_H */
