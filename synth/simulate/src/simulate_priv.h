/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What simulate.c, which runs a trace, and simulate_ops.c, which reads it, share. */
#ifndef VTB_SIMULATE_PRIV_H
#define VTB_SIMULATE_PRIV_H

#include "machine.h"
#include "vtb/simulate.h"

struct sim_thread {
	uint32_t first, end; /* its operations, in simulation.ops */
	uint32_t next;
	uint32_t stop;       /* it does nothing from here on; end: it does all */
	bool recorded_birth; /* its creation is in the trace; if not, it is there from the start */
};

struct simulation {
	struct vtb_runner runner;
	struct vtb_machine machine;
	struct vtb_machine_scratch scratch;
	const struct vtb_trace *trace;
	struct vtb_sync_op *ops; /* by thread, then in the order recorded */
	uint32_t *event_of;      /* operation -> event of the trace */
	size_t n_ops;
	struct sim_thread *threads;
	uint32_t *object_of; /* variable -> object number in the model, VTB_SYNC_NONE for plain data */
	uint32_t n_objects;
	struct vtb_sync_start *start; /* one per object */
	struct vtb_sync origin;       /* state in which runs begin, if `moved` */
	uint32_t *passed;             /* by thread: operations before it */
	uint32_t stretch;             /* operations of each thread from there on */
	bool moved;
};

/** The operations and objects of sim->trace, each thread before its first one. 0, -ENOMEM, -VTB_E_LIMIT. O(events). */
int simulation_fill(struct simulation *sim);

#endif /* VTB_SIMULATE_PRIV_H */
