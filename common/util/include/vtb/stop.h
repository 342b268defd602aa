/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file stop.h
 * When work is to end: at a moment, or because somebody says so. One object is handed to everything that may take long.
 *
 *     ... work ...  | due: begin nothing new         | a run that is on its way is given up
 *                   deadline, memory, Ctrl-C              VTB_STOP_GRACE later
 *
 * Who proves what was found sets `proving`: then runs begin and go on until VTB_STOP_PROOF after that moment.
 *
 * Ownership: the flags are borrowed; a signal handler may change them.
 * Threads:   one thread asks.
 */
#ifndef VTB_STOP_H
#define VTB_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define VTB_STOP_GRACE 0.4 /* seconds */
#define VTB_STOP_PROOF 1.2

struct vtb_stop {
	double deadline;                          /* monotonic seconds; 0: none */
	const volatile sig_atomic_t *interrupted; /* not 0: the moment has come; NULL: nobody can say so */
	const volatile sig_atomic_t *aborted;     /* not 0: give up whatever it is; NULL: nobody can say so */
	uint64_t memory;                          /* bytes that this process may hold; 0: any number */
	bool proving;
	double interrupted_at; /* when it was first seen; 0: not yet */
	double full_at;        /* likewise, that it holds more than `memory` */
	double looked_at;      /* when that was looked at last */
};

/** Bytes that the machine could give to processes now; 0: it does not say. */
uint64_t vtb_stop_memory_free(void);
/** Monotonic seconds. */
double vtb_stop_clock(void);
/** Is nothing new to begin? False for NULL. */
bool vtb_stop_due(struct vtb_stop *stop);
/** The same without the clock: has somebody said so? */
bool vtb_stop_interrupted(struct vtb_stop *stop);
/** For who makes runs: 0 go on; -ECANCELED: begin no run, or, if one is `running`, give it up; -EINTR: aborted.
 *  0 for NULL. */
int vtb_stop_check(struct vtb_stop *stop, bool running);

#endif /* VTB_STOP_H */
