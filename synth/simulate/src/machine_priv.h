/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine.c, which makes a run, and the files for its parts share. */
#ifndef VTB_MACHINE_PRIV_H
#define VTB_MACHINE_PRIV_H

#include "machine.h"

struct vtb_machine_thread {
	uint32_t done;      /* visible operations */
	uint32_t rank;      /* place in the list of ranks, or VTB_NONE */
	uint32_t demoted;   /* n-th demotion without an entry left in the list: behind all others; 0: no */
	uint32_t deviation; /* next one of this thread, index in scratch.deviations */
	uint32_t deviations_end;
	uint32_t constraint;
	uint32_t constraints_end;
};

/* A run that goes on. */
struct run {
	struct vtb_machine_scratch *d;
	struct vtb_machine *m;
	const struct vtb_schedule *s;
	struct vtb_exec *x;
	uint32_t running; /* or VTB_NONE */
	uint32_t forced;  /* target of a SWITCH at this point, or VTB_NONE */
	size_t late_row;  /* before this one time has passed, as nobody could go on; SIZE_MAX none */
};

/** Ranks, deviations and constraints by thread, as the schedule has them. 0 or -ENOMEM. O(n log n) in the schedule's
 * length. */
int vtb_machine_prepare(struct run *run);

/** Is the next operation of `thread` kept back by a constraint? */
bool machine_kept_back(const struct run *run, uint32_t thread);
/** Is it alive, its next operation possible and not kept back? */
bool machine_can_go_on(const struct run *run, uint32_t thread);
/** The row of threads that can be chosen now; returns how many, or -ENOMEM. It becomes part of the run when n_enabled
 * grows. */
int64_t machine_fill_row(struct run *run, uint64_t **ret_row);
/** The thread that goes on, of the `n` > 0 in the row. */
uint32_t machine_choose(struct run *run, const uint64_t *row, uint64_t n);

/** Tell who waits in a way that time or chance may end, from this row on. 0 or -ENOMEM. */
int machine_tell_waits(struct run *run);
/** Tell what each thread was to do next. 0 or -ENOMEM. */
int machine_tell_pending(struct run *run);
/** Tell the state in which the next operation is chosen, once all deviations are made. 0 or -ENOMEM. */
int machine_tell_state(struct run *run);

#endif /* VTB_MACHINE_PRIV_H */
