/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file order.h
 * What each thread knows of the others in this run (decision 51): of whatever a thread did before it gave a lock back,
 * the next one that takes the lock knows. Only what each run of the same class has, too, counts: pairs of operations
 * that are told and depend on each other. Plain accesses are no such operations here.
 *
 * Shape:   a thread's *interval* is what it does between two operations by which others can learn of it. Intervals have
 *          numbers, which grow for as long as the process lives: a number less than vtb_order_first() is of a time that
 *          lies before all that there is now. A thread knows of another one all up to some number.
 * Limits:  where threads, objects or intervals are too many, or memory may be another object's, less is known.
 */
#ifndef VTB_RT_ORDER_H
#define VTB_RT_ORDER_H

#include "control.h"
#include "base.h"

#define VTB_ORDER_LAST (1u << 30)  /* no number is as high */
#define VTB_ORDER_NONE 3u          /* numbers that are left to who keeps numbers, at the beginning of each epoch */
#define VTB_ORDER_NOBODY UINT8_MAX /* whose an interval is: a thread's of which nobody knows anything */

/** Once a process. False: no memory. */
bool vtb_order_begin(void);
/** A run begins. */
void vtb_order_begin_run(void);
/** All that was before is known to all. The next VTB_ORDER_NONE numbers are nobody's. False: these are numbers that
 * were there before, and whoever keeps some must forget them. */
bool vtb_order_epoch(void);
/** The lowest number that means something. */
uint32_t vtb_order_first(void);
/** The number of the interval in which t is. */
uint32_t vtb_order_now(const struct vtb_rt_thread *t);
/** Does t know of all that was done in this interval? False also where that cannot be told. */
bool vtb_order_knows(const struct vtb_rt_thread *t, uint32_t interval);
/** What t knows now, as a table for the code near the program; it holds until t has done its next operation. */
void vtb_order_tell(const struct vtb_rt_thread *t, struct vtb_knows *ret);
/** t has done an operation that is told: it learns, and what others can learn of it is kept. O(threads), of a free()
 * of a block in which something was left O(objects of this epoch), of others O(bytes / 64). */
void vtb_order_told(const struct vtb_rt_thread *t, const struct vtb_call *call);

#endif /* VTB_RT_ORDER_H */
