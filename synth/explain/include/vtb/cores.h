/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file cores.h
 * The root cause of a failure ([CONCBUGASSIST15]; docs/algorithms.md, "Cores"): which orders of conflicting operations
 * make a program fail, and which of them are enough.
 *
 * An *order literal* `before < after` holds in a run in which `before` took place, and `after` did not take place
 * before it. Operations are told apart by thread, place, kind and occurrence, so that they mean the same in every run.
 * A *core* is a set of order literals that hold together in a failing run and in no run that passes. Every literal is
 * needed: without it there is a run that was made, passes, and has all the others.
 *
 * Method:    every class of runs is made, if there is time (dpor). From the orders of a failing run the solver takes a
 *            set that no run that passed has: minimal by deletion, then smallest by cardinality. If not all classes
 *            were made, runs are asked for that have the core and one more order turned round: one that passes refutes
 *            it, and the next core is taken with that run known. A failing run that has none of the cores is the next
 *            class.
 * Orders that no schedule can turn round hold in passing runs, too, so they are in no core. Those of operations that
 * cannot matter to the failure are in one only if nothing else would do.
 * Ownership: a result owns its arrays; vtb_cores_fini().
 */
#ifndef VTB_CORES_H
#define VTB_CORES_H

#include "vtb/runner.h"

struct vtb_predicate;

#define VTB_CORES_MAX 64u /* classes that are told apart */

/** An operation, equal in every run: the `occurrence`-th (from 1) of its thread at this site of this kind. */
struct vtb_core_op {
	uint32_t thread, site, occurrence;
	uint32_t var;   /* that it touched when it was met first, or VTB_NONE */
	uint32_t index; /* in the core's failing run: its number in its thread; 0: it did not take place there */
	uint8_t kind;   /* enum vtb_event_kind */
};

struct vtb_order_literal {
	struct vtb_core_op before, after;
};

struct vtb_core {
	struct vtb_order_literal *literals; /* in the order of the failing run; owned */
	size_t n_literals;
	struct vtb_exec exec;  /* a failing run that has them; owned */
	uint64_t failing;      /* runs with this failure that have all of them */
	uint64_t probes;       /* runs asked for to refute it that had it and failed */
	uint64_t admitted_min; /* fewest passing runs that are known once one literal is left out: at least 1 */
	bool smallest;         /* no smaller set of literals of that run would do, of the runs made */
	bool exhausted;        /* every class of runs was made, so no run that passes has it */
};

struct vtb_cores_opts {
	uint64_t seed;
	uint64_t budget;                 /* runs; 0: VTB_CORES_BUDGET */
	struct vtb_predicate *predicate; /* orders of what it says cannot matter come last; NULL: all can. Borrowed */
	bool (*stop)(void *data);        /* asked between batches; NULL: never */
	bool (*enough)(void *data);      /* has it gone on so long that making all classes is given up? NULL: never */
	void *data;
};
#define VTB_CORES_BUDGET 20000u

struct vtb_cores {
	struct vtb_core *cores; /* the given run's first */
	size_t n_cores, cap_cores;
	uint64_t runs, passing, failing; /* made; different ones that passed, that failed in this way */
	uint64_t orders;                 /* candidate literals of the given run */
	bool exhausted;                  /* every class of runs was made: these are all classes of this failure */
	bool chances_left_out;  /* ... that orders alone make: in some run time or chance could have done more */
	struct vtb_exec passed; /* a run that passed; no events: none is at hand */
	bool explained; /* every failing run that was made has one of the cores. With none: no run passed, or the same
	                   orders passed and failed */
};

void vtb_cores_fini(struct vtb_cores *cores);

/** The cores of the failure that `failing` shows. 0, -ENOMEM, errors of the runner; out of budget is no error, and
 * -ECANCELED of the runner ends it with what is there. */
int vtb_cores_find(struct vtb_runner *runner, const struct vtb_exec *failing, const struct vtb_cores_opts *opts,
                   struct vtb_cores *ret, struct vtb_error *err);

#endif /* VTB_CORES_H */
