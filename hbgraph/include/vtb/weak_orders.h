/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file weak_orders.h
 * Could a run of C11 atomics have shown what no interleaving shows? It could not where all is seq_cst that nothing else
 * orders [ADVE90]. Otherwise two variables and two threads are enough, each of which touches one and then the
 * other:
 *
 *     store buffering          message passing          load buffering
 *     x.store   y.store        data.store  flag.load    x.load    y.load
 *     y.load    x.load         flag.store  data.load    y.store   x.store
 *
 * In the first one both may read what was there before, unless all four are seq_cst. In the others, unless one thread
 * reads by acquiring what the other has written by releasing.
 *
 * Which ones:  operations that race: another thread does something to the variable that nothing but the two operations
 *              orders, and one of them writes. A variable on which only read-modify-writes that acquire and release
 *              race is like a lock, and left out. What is left shows interleavings only [SHASHA88] if all of it is
 *              seq_cst, if it is of one variable, or if two threads make it and no two of their pairs go round in such
 * a way that two of the steps from thread to thread do not synchronise. Cautious:    with three threads or more there
 * may be a way round, and nobody looks whether there is one. Fences count for nothing, as controlled runs do not tell
 * them. Not seen:    variables of which one thread takes a part and another all; plain accesses, which race or do not
 * matter. Checked:     against the executions that the axioms of RC11 allow [REPAIRSC17], over random programs.
 */
#ifndef VTB_WEAK_ORDERS_H
#define VTB_WEAK_ORDERS_H

#include "vtb/trace.h"

/** From the best to tell to the worst. */
enum vtb_weak {
	VTB_WEAK_NONE,   /* interleavings show all there is */
	VTB_WEAK_TWO,    /* two threads may see each other's operations turned round */
	VTB_WEAK_MANY,   /* three threads or more, and two variables or more: nobody has looked any closer */
	VTB_WEAK_UNSEEN, /* not all was looked at */
	VTB_WEAK_MOVES,  /* moves of inline assembler, of what order nobody knows; never of a run */
};

/** Sites. TWO: of each of the two threads what it does first, and what it does then. MANY: of two variables a weak one
 * each, or one that is weak and one of another variable (`first[0]`, `then[0]`). */
struct vtb_weak_orders {
	uint32_t first[2], then[2];
};

/** Is any of them other than seq_cst? O(events). */
bool vtb_weak_orders_any(const struct vtb_event *events, size_t n);

/** Look at a run, whose events are in trace order. `*steps` is what the caller can spare, and is less afterwards; a run
 * without any weak operation costs none. An enum vtb_weak, or -ENOMEM. A step takes some 10 ns; at least as many
 * are needed as there are atomic operations, and for each as many as threads have touched its variable before. */
int vtb_weak_orders_of(const struct vtb_symtab *tab, const struct vtb_event *events, size_t n, uint64_t *steps,
                       struct vtb_weak_orders *ret);

#endif /* VTB_WEAK_ORDERS_H */
