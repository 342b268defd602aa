/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file weak_orders.h
 * Where a run of C11 atomics could show what no interleaving shows: two threads, two variables, and orders too weak.
 *
 *     store buffering          message passing          load buffering
 *     x.store   y.store        data.store  flag.load    x.load    y.load
 *     y.load    x.load         flag.store  data.load    y.store   x.store
 *
 * In the first one both may read what was there before, unless all four are seq_cst. In the others, unless what comes
 * first acquires or what comes second releases, in both threads. Whatever else orders the threads counts, but not
 * fences in between: controlled runs do not tell them.
 *
 * Not seen: what has more threads or variables, where nothing but the order of writes matters, what only later parts
 * of a long run have (VTB_WEAK_ORDERS_MOST), threads from the seventeenth on.
 */
#ifndef VTB_WEAK_ORDERS_H
#define VTB_WEAK_ORDERS_H

#include "vtb/trace.h"

#define VTB_WEAK_ORDERS_MOST 4096u /* atomic operations of a run that are looked at */

/** Of each of the two threads the site of what it does first, and of what it does then. */
struct vtb_weak_orders {
	uint32_t first[2], then[2];
};

/** Events in trace order. 1: *ret is an example; 0: there is none; -ENOMEM. O(events). */
int vtb_weak_orders_of(const struct vtb_symtab *tab, const struct vtb_event *events, size_t n,
                       struct vtb_weak_orders *ret);

#endif /* VTB_WEAK_ORDERS_H */
