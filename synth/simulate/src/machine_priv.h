/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine.c, which makes a run, and machine_prepare.c, which lays out its schedule, share. */
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

#endif /* VTB_MACHINE_PRIV_H */
