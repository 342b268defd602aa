/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_tree.h: runs as one tree: what they begin with in common stands once.
 *
 *      root ──read x (0.0)──► ──write x (0.0)──► ──read x (0.1)──► ... end of run 1
 *                                        └──────► read x (0.0) ──► ... end of run 2
 *
 * A step is told from another by its thread, kind, object and place, and by what it found: a value of its kind's own
 * (a lock not got), a deviation.
 */
#ifndef VTB_VIZ_RUN_TREE_H
#define VTB_VIZ_RUN_TREE_H

#include "vtb/exec.h"

#define RUN_TREE_THREADS 64u

struct run_node {
	struct vtb_event event;             /* that leads here; the root has none */
	uint32_t parent, child, last, next; /* first and last child, next of the same parent; VTB_NONE */
	uint64_t can;                       /* threads that could go on here; what follows the end: 0 */
	uint32_t run;                       /* the first that ended here, from 1; 0: none did */
	enum vtb_verdict verdict;           /* of that one */
	const char *signature;              /* likewise; the runner's table has it; NULL none */
};

struct run_tree {
	struct run_node *nodes; /* the root first; empty: no run yet */
	size_t n_nodes, cap_nodes;
	uint32_t runs, ends; /* added; different ones */
};

/* Threads of the run must be fewer than RUN_TREE_THREADS. 0 or -ENOMEM. */
int run_tree_add(struct run_tree *t, const struct vtb_exec *x);
/* Has the node one child only, of the thread that led to it, so that it tells nothing by itself? */
bool run_tree_passes(const struct run_tree *t, uint32_t node);
void run_tree_fini(struct run_tree *t);

#endif /* VTB_VIZ_RUN_TREE_H */
