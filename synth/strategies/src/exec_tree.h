/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exec_tree.h
 * The execution tree ([GAMBIT10]; docs/algorithms.md, "Schedules"): a node is one run, stored as what it does otherwise
 * than its parent: the parent's choices up to a point, another choice there, run-to-block after. Run-to-block never
 * preempts, so a run's c is that of its last explicit choice, and each run is proposed exactly once.
 *
 *      parent   a1 a2 | a3 a4 ...        child (point before a3, choice b)   a1 a2 | b1 ...
 *
 * A choice may also be that a deadline passes or a thread wakes without a signal (in place of a switch), or, after
 * that, that the operation chosen comes out differently (chances.h).
 *
 * Memory:    only nodes that have not been run and their ancestors, 40 bytes each: a node that was run and has no child
 * frees itself, then perhaps its parent, and so on. Beyond the bound they lie in a file, if the search has a directory
 * for it (opts->disk), else they are left out and counted. Ownership: the tree owns its nodes; what waits to be run is
 * kept by whoever owns the tree, through `next`.
 */
#ifndef VTB_EXEC_TREE_H
#define VTB_EXEC_TREE_H

#include "tree_file.h"
#include "vtb/chances.h"
#include "vtb/strategy.h"

#define VTB_NO_NODE UINT32_MAX

struct vtb_tree_node {
	uint32_t parent;
	uint32_t next;     /* below it on its stack, or in the list of free nodes */
	uint32_t preempt;  /* nearest one with a cost: itself or an ancestor */
	uint32_t children; /* that have not been freed */
	uint32_t point;    /* the choice is the thread of event `point` */
	uint32_t index;    /* operations that thread `after` has done at that point */
	uint32_t var;      /* what a preemption is charged to */
	uint16_t after, target;
	uint8_t c, v;
	uint8_t kind; /* enum vtb_deviation_kind */
	bool costs;
	bool run;
};

struct vtb_tree {
	const struct vtb_space *space;
	struct vtb_tree_node *nodes;
	size_t n_nodes, cap_nodes;
	size_t limit;              /* nodes in memory, and touched in the file between two times that it is let go */
	struct vtb_tree_file file; /* where they are once there are more; has bytes then */
	bool no_file;              /* there is no room for it */
	size_t touched;            /* since it was let go */
	size_t alive;              /* not freed */
	uint32_t free_nodes;
	uint32_t *done; /* scratch: operations by thread */
	size_t n_done, cap_done;
	uint32_t max_c, max_v;
	bool cut_c, cut_v, cut_focus; /* children were left out for that reason */
	uint32_t kinds;               /* of deviations other than switches that some run showed to be possible */
	uint64_t dropped, diverged;
	bool unfinished; /* the search was to end while a run was looked at: some of its children are not there, */
	struct vtb_tuple unfinished_at; /* which have at least its (c, v) */
	struct vtb_chances chances;
};

/** Bounds and memory from the space's options. */
void vtb_tree_init(struct vtb_tree *t, const struct vtb_space *space);
void vtb_tree_fini(struct vtb_tree *t);
/** The first node: no choice at all. Its id, or an error. */
int64_t vtb_tree_root(struct vtb_tree *t);
/** A node that nothing is in yet. Its id, -VTB_E_LIMIT if there is no room for one more, -ENOMEM. */
int64_t vtb_tree_take_node(struct vtb_tree *t);
/** A node that was run and has no child left is not needed any more, and then perhaps its parent neither. */
void vtb_tree_free_node(struct vtb_tree *t, uint32_t id);
/** The schedule of a node. 0 or -ENOMEM. O(depth). */
int vtb_tree_build(struct vtb_tree *t, uint32_t id, struct vtb_schedule *s);

/** A child that is new: keep it. `point` events of `x` come before its choice; `x` is the run of its parent. 0 or an
 * error. */
typedef int vtb_tree_added(void *data, uint32_t id, const struct vtb_exec *x);
/** The node was run: add its children, then let it go if there are none. 0 or an error. O(events * threads). */
int vtb_tree_ran(struct vtb_tree *t, uint32_t id, const struct vtb_exec *x, vtb_tree_added *added, void *data);

#endif /* VTB_EXEC_TREE_H */
