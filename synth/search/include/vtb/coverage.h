/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file coverage.h
 * What the runs so far have shown: which variables are shared and how often they are touched, how many operations each
 * thread does. Strategies order their work by it; nothing is ever pruned by it, since the next run may show more.
 */
#ifndef VTB_COVERAGE_H
#define VTB_COVERAGE_H

#include "vtb/exec.h"

#define VTB_COVERAGE_LOCKS 4u

/** An access: by whom, how many operations it had then done, the locks that it held. */
struct vtb_coverage_access {
	uint32_t thread, op; /* VTB_NONE: none */
	uint32_t locks[VTB_COVERAGE_LOCKS];
};

struct vtb_coverage_var {
	uint32_t thread; /* that touched it first; VTB_NONE: untouched */
	uint32_t most;   /* accesses in the run with the most */
	uint32_t run;    /* number of the run that `now` counts */
	uint32_t now;
	struct vtb_coverage_access last, written; /* the last access of that run, the last that writes */
	bool bare;                                /* shared, and two such accesses had no lock in common */
	bool shared; /* by two threads in some run, with neither creation nor join between them, and one of them writes
	              */
	uint8_t family;  /* enum vtb_family of the operation that touched it last */
	uint64_t places; /* at which it was touched: kinds.h */
	uint32_t turn;   /* of a shared one: how many of its kind come before it */
};

/** What a run has shown so far of a thread: enough to see that its creator's or its joiner's accesses do not meet its
 * own. */
struct vtb_coverage_life {
	uint32_t creator, created_op;       /* operations that the creator had then done */
	uint32_t joined_by, joined_op;      /* likewise the joiner */
	uint32_t locks[VTB_COVERAGE_LOCKS]; /* that it holds now, VTB_NONE: free place; more of them are not noticed */
};

/** Where to look first: at data that threads share without a common lock, then at locks and the like, then at data
 * under locks (nobody else can touch it before its lock is given back, and that is an operation on the lock), then at
 * births and joins, last at what only one thread has touched so far. */
enum vtb_coverage_class {
	VTB_COVERAGE_BARE,
	VTB_COVERAGE_SYNC,
	VTB_COVERAGE_DATA,
	VTB_COVERAGE_THREAD,
	VTB_COVERAGE_UNSHARED,
	VTB_COVERAGE_CLASSES
};

struct vtb_coverage {
	struct vtb_coverage_var *vars; /* by variable id */
	size_t n_vars, cap_vars;
	uint32_t *ops; /* by thread id: most operations in a run */
	size_t n_ops, cap_ops;
	uint32_t *now; /* by thread id: scratch */
	size_t n_now, cap_now;
	struct vtb_coverage_life *lives; /* by thread id: scratch */
	size_t n_lives, cap_lives;
	const struct vtb_symtab *tab; /* set by whoever has it: which thread a handle means; may be NULL */
	uint32_t n_threads;           /* threads seen: highest id + 1 */
	uint32_t runs;
	uint32_t newly_shared; /* variables that have become shared */
	uint64_t points;       /* most operations in a run */
	bool regroup;          /* a shared variable was touched at another place, or one has become shared */
	bool births_by_others; /* a thread other than main created threads */
};

void vtb_coverage_fini(struct vtb_coverage *c);
/** Learn from a run. 0 or -ENOMEM. O(events). */
int vtb_coverage_add(struct vtb_coverage *c, const struct vtb_exec *x);

static inline bool vtb_coverage_shared(const struct vtb_coverage *c, uint32_t var)
{
	return var < c->n_vars && c->vars[var].shared;
}

static inline enum vtb_coverage_class vtb_coverage_class(const struct vtb_coverage *c, uint32_t var)
{
	if (!vtb_coverage_shared(c, var))
		return VTB_COVERAGE_UNSHARED;
	switch (c->vars[var].family) {
	case VTB_FAMILY_THREAD:
		return VTB_COVERAGE_THREAD;
	case VTB_FAMILY_MEMORY:
	case VTB_FAMILY_ATOMIC:
	case VTB_FAMILY_HEAP:
	case VTB_FAMILY_IO:
		return c->vars[var].bare ? VTB_COVERAGE_BARE : VTB_COVERAGE_DATA;
	default:
		return VTB_COVERAGE_SYNC;
	}
}

/** Stages in which variables of one kind come: the first, the second, two more, four more ... One that is not shared
 * comes last. */
#define VTB_COVERAGE_STAGES 16u
static inline uint32_t vtb_coverage_turn_stage(uint32_t turn)
{
	uint32_t stage = 0;

	for (; turn && stage < VTB_COVERAGE_STAGES - 2; turn /= 2)
		stage++;
	return stage;
}

static inline uint32_t vtb_coverage_stage(const struct vtb_coverage *c, uint32_t var)
{
	return vtb_coverage_shared(c, var) ? vtb_coverage_turn_stage(c->vars[var].turn) : VTB_COVERAGE_STAGES - 1;
}

/** Accesses in the run with the most; 0 for unknown variables. */
static inline uint32_t vtb_coverage_most(const struct vtb_coverage *c, uint32_t var)
{
	return var < c->n_vars ? c->vars[var].most : 0;
}

#endif /* VTB_COVERAGE_H */
