/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file clock_order.h
 * Reading a clock is no operation, but moves it: of two threads the first reads less. If both readings are ordered by
 * operations in between, the class of the run decides what they read. If they are not, it does not, and a search that
 * runs each class once has not seen the other order (docs/algorithms.md, "Schedules").
 */
#ifndef VTB_CLOCK_ORDER_H
#define VTB_CLOCK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/mazurkiewicz.h"

struct vtb_clock_order {
	uint32_t *last; /* by thread: its operations when it last read a clock, plus 1; 0: it has not */
	uint32_t n;
	bool merged;            /* classes are put together: the order of operations decides nothing */
	bool shared;            /* two threads have read one */
	bool open;              /* two readings are not ordered: */
	uint32_t first, second; /* the threads */
};

void vtb_clock_order_fini(struct vtb_clock_order *c);
/** Start a new run; `merged` as above. */
void vtb_clock_order_begin(struct vtb_clock_order *c, bool merged);
/** `thread` reads a clock after the events that `m` has been fed. 0 or -ENOMEM. O(threads). */
int vtb_clock_order_read(struct vtb_clock_order *c, const struct vtb_mazurkiewicz *m, uint32_t thread);

#endif /* VTB_CLOCK_ORDER_H */
