/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_literals.h
 * The order literals of one failing run, those first that a reader would rather see: how a thread missed its signal,
 * who used what is freed, true in most of the failing runs, about what can matter to the failure, about data rather
 * than about locks, about what has a name, close together.
 */
#ifndef VTB_CORE_LITERALS_H
#define VTB_CORE_LITERALS_H

#include "core_runs.h"

struct core_literal {
	uint32_t before, after; /* operations of struct core_runs */
	uint64_t failing;       /* failing runs in which it holds */
	uint32_t distance;      /* positions between the two */
	uint8_t rank;           /* by what it is about, higher is better */
	bool missed;            /* it is how a thread missed its signal (core_missed.h) */
	bool of_freed;          /* it is about the block that was used after it was freed */
	bool open;              /* `after` did not take place: it had still to come when the run ended */
	bool nameless;          /* it is about what people gave no name */
	bool of_runtime;        /* it is about how threads of OpenMP wait, of which a reader has no lines */
	bool apart;             /* its operations touch one variable in other runs only */
	bool idle;              /* it cannot matter to the failure, as far as the code tells */
	bool shows;             /* it only shows the failure: an end of the process, an operation that no passing run
	                           has; of a deadlock also what is about no lock */
};

struct core_literals {
	struct core_literal *literals;
	size_t n_literals, cap_literals;
	bool sampled;   /* the runs are some of those that there are: who sets it knows */
	size_t n_first; /* the first ones: those that are missed or of_freed */
	size_t
	    n_telling; /* the first ones: those that do not only show it, are not idle, nor of the runtime, nor apart */
};

/** The orders of conflicting operations in run number `failing`. 0 or -ENOMEM. O(pairs * failing runs). */
int core_literals_of(const struct core_runs *runs, size_t failing, struct core_literals *ret);
void core_literals_fini(struct core_literals *literals);

#endif /* VTB_CORE_LITERALS_H */
