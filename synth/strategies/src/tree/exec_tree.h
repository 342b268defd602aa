/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exec_tree.h
 * The execution tree ([GAMBIT10]; docs/algorithms.md, "Schedules"): a node is one run, stored as what it does otherwise
 * than its parent: the parent's choices up to a point, another choice there, run-to-block after. Run-to-block never
 * preempts, so a run's c is that of its last explicit choice, and each run is proposed exactly once.
 *
 *      parent   a1 a2 | a3 a4 ...        child (point before a3, choice b)   a1 a2 | b1 ...
 *
 * A run may be told without what a thread does to what it alone touches (struct vtb_exec, owned). Then only its free
 * children are there: a switch is free only right after an operation that lets somebody go on, or where the thread must
 * wait, and these are told. The node is *half done*, and is run once more, told whole, for the children that cost.
 *
 * Asked for each state once (`once`), it puts a child aside whose choice leads to a state that another child's has led
 * to, at the same price: what comes of the one comes of the other, with the same cost. The state is told by the class
 * of what was done before (docs/algorithms.md, "Orders and classes"), and how far each thread has come; the price by c
 * and the variables charged. Where a state may depend on more than its class, the search says, all that was put aside
 * comes back, and nothing is put aside any more: who waits for one who has arrived, who is held back as one that spins,
 * what time it is.
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

#include "sure_steps.h"
#include "tree_file.h"
#include "vtb/bounded_map.h"
#include "vtb/chances.h"
#include "vtb/strategy.h"

#define VTB_NO_NODE UINT32_MAX

struct vtb_tree_node {
	uint32_t parent;
	uint32_t next;     /* below it on its stack, or in the list of free nodes */
	uint32_t preempt;  /* nearest one with a cost: itself or an ancestor */
	uint32_t children; /* that have not been freed */
	uint32_t point;    /* operations of the whole run before the choice */
	uint32_t index;    /* operations that thread `after` has done at that point */
	uint32_t var;      /* what a preemption is charged to */
	uint16_t after, target;
	uint8_t c, v;
	uint8_t kind; /* enum vtb_deviation_kind */
	bool costs;
	bool run;
	bool half; /* it was, but its children that cost are not there yet */
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
	bool once;                  /* each state once, by class */
	struct vtb_bounded_map met; /* states that choices have led to, and their prices */
	uint32_t aside;             /* nodes that were put aside: the last one, or VTB_NO_NODE */
	uint64_t n_aside;           /* so many were */
	uint64_t forgotten;         /* those of them for which there was no room */
	bool unfinished; /* the search was to end while a run was looked at: some of its children are not there, */
	struct vtb_tuple unfinished_at; /* which have at least its (c, v) */
	struct vtb_chances chances;
	const struct vtb_sure_steps *sure; /* has learnt the run that is looked at: where only one thread need go on;
	                                      NULL: nowhere. Borrowed */
};

/** Bounds and memory from the space's options. `once`: each state once, as far as classes tell states. */
void vtb_tree_init(struct vtb_tree *t, const struct vtb_space *space, bool once);
void vtb_tree_fini(struct vtb_tree *t);
/** The first node: no choice at all. Its id, or an error. */
int64_t vtb_tree_root(struct vtb_tree *t);
/** A node that nothing is in yet. Its id, -VTB_E_LIMIT if there is no room for one more, -ENOMEM. */
int64_t vtb_tree_take_node(struct vtb_tree *t);
/** A node that was run and has no child left is not needed any more, and then perhaps its parent neither. */
void vtb_tree_free_node(struct vtb_tree *t, uint32_t id);
/** The schedule of a node. 0 or -ENOMEM. O(depth). */
int vtb_tree_build(struct vtb_tree *t, uint32_t id, struct vtb_schedule *s);

/** A child that is new: keep it. `row` events of `x` come before its choice; `x` is the run of its parent, or NULL:
 * that is not there any more. 0 or an error. */
typedef int vtb_tree_added(void *data, uint32_t id, const struct vtb_exec *x, uint32_t row);
/** The node was run: add its children, then let it go if there are none. 1: it is half done, and is to be run again,
 * told whole, before the first of its children that cost; 0; or an error. O(events * threads). */
int vtb_tree_ran(struct vtb_tree *t, uint32_t id, const struct vtb_exec *x, vtb_tree_added *added, void *data);

/** Has the node or an ancestor been charged to `var`? */
bool vtb_tree_charged_before(const struct vtb_tree *t, uint32_t id, uint32_t var);

/* ---- exec_followed.c */
/** Does the deviation stand before the operation that it changes, in the same thread? Else: at the point before it. */
bool vtb_tree_changes_operation(const struct vtb_tree_node *n);
/** Operations that a row of a run stands for. */
uint32_t vtb_tree_operations(const struct vtb_event *e);
/** Has the run made the choice of its node? O(events). */
bool vtb_tree_followed(const struct vtb_tree *t, uint32_t id, const struct vtb_exec *x);

/* ---- exec_once.c: each state once */
/** Does the class of what was done tell the state? Not where the search knows better; `x`: or this run; NULL: none. */
bool vtb_tree_tells_states(const struct vtb_tree *t, const struct vtb_exec *x);
/** Has a choice with the price of node `id`, which is a switch, led to where this one leads from `state`? From now on
 * it has. 0 or -ENOMEM. O(depth). */
int vtb_tree_meets(struct vtb_tree *t, uint32_t id, uint64_t state, bool *ret_met);
void vtb_tree_put_aside(struct vtb_tree *t, uint32_t id);
/** Nothing is put aside from here on, and what was is added, without a run. 0 or an error. */
int vtb_tree_bring_back(struct vtb_tree *t, vtb_tree_added *added, void *data);
/** Make room: should what was put aside be brought back, it counts as dropped. */
void vtb_tree_forget_aside(struct vtb_tree *t);

#endif /* VTB_EXEC_TREE_H */
