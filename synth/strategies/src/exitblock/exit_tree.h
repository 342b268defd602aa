/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exit_tree.h
 * The tree of orders of atomic blocks, as far as it was tried, and which branch is tried next.
 *
 *      point ── block of t1 ──► point ── block of t2 ──► point ── ...     parent: the point before; via: which try of
 * it ├──── block of t2 ──► ... └ t3 is open
 *
 * Branches with fewest switches away from a thread that could go on come first, among these the oldest; above
 * EXIT_POINTS_MANY points the newest comes first, so that the tree grows by one run's length at most. Whatever the
 * order, the branches of one point are tried one after the other, so that what is delayed in each does not depend on
 * it.
 *
 * Ownership: points and blocks are the tree's, until nothing is left to be tried below them.
 * Errors:    -ENOMEM.
 */
#ifndef SYNTH_EXIT_TREE_H
#define SYNTH_EXIT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/trace.h"

#define EXIT_POINTS_MANY (1u << 17)
#define EXIT_COSTS 64u

/** A block that was tried at a point. */
struct exit_try {
	uint32_t thread;
	uint32_t place, places;      /* WAITER of its first signal with a choice: chosen, and how many; 0 no choice */
	uint32_t signal, signal_var; /* operations of the thread before that signal */
	bool delays;                 /* all of it is tried: its thread is delayed in the tries behind */
	struct vtb_event *ops;
	uint32_t *index; /* by op: operations that the thread had done before */
	size_t n_ops;
};

struct exit_point {
	uint32_t parent, via;    /* VTB_NONE: the root; which try of the parent */
	uint32_t below;          /* points whose parent it is */
	uint32_t cost;           /* switches away on the way here */
	uint32_t born;           /* tells points with one number apart */
	bool live, aged, priced; /* in by_age, in by_cost */
	uint64_t *open;          /* threads to be tried */
	uint32_t stride;
	struct exit_try *tries;
	size_t n_tries, cap_tries;
};

struct exit_queued {
	uint32_t point, born;
};

struct exit_queue {
	struct exit_queued *rows;
	size_t n_rows, cap_rows;
	size_t first; /* rows before are used up */
};

struct exit_tree {
	struct exit_point *points;
	size_t n_points, cap_points;
	uint32_t *unused;
	size_t n_unused, cap_unused;
	uint32_t n_born;
	size_t many;                           /* points above which the newest comes first; 0: EXIT_POINTS_MANY */
	struct exit_queue by_cost[EXIT_COSTS]; /* points with something open; rows may be outdated */
	struct exit_queue by_age;              /* the same points */
};

/** Add the point behind a try; `open` has `stride` words. Returns its number. */
int64_t exit_tree_point(struct exit_tree *tree, uint32_t parent, uint32_t via, const uint64_t *open, uint32_t stride);
/** Add a try of the point; its blocks are copied. If another is to follow, the point is queued. Returns its number. */
int64_t exit_tree_try(struct exit_tree *tree, uint32_t point, const struct exit_try *one);
/** The path of a run is known: forget what leads nowhere, from `leaf` upwards. */
void exit_tree_settle(struct exit_tree *tree, uint32_t leaf);
/** The point to go on from, and in *ret its next try, without a block. VTB_NONE: all is tried. -ENOMEM. */
int64_t exit_tree_next(struct exit_tree *tree, bool delays, struct exit_try *ret);
void exit_tree_fini(struct exit_tree *tree);

#endif /* SYNTH_EXIT_TREE_H */
