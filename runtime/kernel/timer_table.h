/* SPDX-License-Identifier: BSD-2-Clause */
/** @file timer_table.h Timers by number; a timer stays where it is, since threads wait at it. */
#ifndef VTB_RT_TIMER_TABLE_H
#define VTB_RT_TIMER_TABLE_H

#include <signal.h>
#include <time.h>

#include "scheduler.h"

enum timer_kind { TIMER_FREE, TIMER_SIGNAL, TIMER_THREAD, TIMER_DESCRIPTOR, TIMER_NOTHING };

struct timer {
	uint8_t kind;
	uint32_t number;
	int signal;
	uint32_t slot; /* whom the signal goes to, or VTB_SIGNAL_PROCESS */
	clockid_t clock;
	uint64_t due;      /* virtual nanoseconds, 0: not armed */
	uint64_t interval; /* 0: once */
	union sigval value;
	void (*function)(union sigval);
	struct vtb_rt_thread *service; /* TIMER_THREAD: the thread that waits */
	int fd, write_end;
	int epolls[VTB_EPOLLS_ROOM]; /* that look at it: number + 1; 0: none */
};

extern uint32_t vtb_n_timers; /* those behind have never been used in this run */

/** Timer i, below vtb_n_timers or 0. */
struct timer *vtb_timer_at(uint32_t i);
/** The one behind the descriptor, or behind one that this is a copy of; NULL: none. */
struct timer *vtb_timer_of(int fd);
/** A free one, not number 0. */
uint32_t vtb_timer_new(uint8_t kind, clockid_t clock);
/** t is about to ask about a POSIX timer (VTB_E_IO_READ) or to change one (VTB_E_IO_WRITE): an operation, if others
 * live. */
void vtb_tell_timers(struct vtb_rt_thread *t, unsigned kind);

#endif /* VTB_RT_TIMER_TABLE_H */
