/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file mazurkiewicz.h
 * The class (Mazurkiewicz trace; docs/algorithms.md, "Orders and classes") of an execution, as a 128-bit fingerprint
 * that is known after every event:
 * two executions have equal fingerprints if one becomes the other by swapping neighbours that are independent, and
 * different ones otherwise.
 *
 * Dependent are two operations of one thread, and two of different threads that touch a common byte or a common object
 * and do not both only read it (events.def says which kinds write); a condition wait also touches its mutex. Accesses
 * of different sizes that overlap are dependent. Only visible operations count; other events leave the fingerprint
 * alone.
 *
 *   fingerprint = sum over the threads of  operations * constant(thread)
 *               + sum over the events of  XXH3_128(thread, kind, deviation, clock)   (mod 2^128)
 *
 * where `clock` counts, for each thread, its operations that the event depends on, itself included, directly or through
 * others. The set of these clocks determines the order, a sum does not depend on the order of its terms, and it can be
 * had for every prefix. A plain access, or a free(), that depends on no other thread's operation but those that its
 * thread's earlier ones depend on has no term of its own: its clock is that of the operation before, and one more. So
 * it makes no difference whether accesses to what only one thread touches are events or are told by their number
 * (OWNED). Two different classes meet with odds 2^-128 a pair; in a set of n classes n^2 / 2^129.
 *
 * Shape:      thread and variable ids must mean the same in every execution that is compared (those of a runner's
 * table). Addresses may differ between executions; they decide only what overlaps. Unknown addresses touch nothing.
 * Complexity: O(threads) an event; 20 to 50 ns with up to 4 threads. begin() is O(threads).
 * Memory:     per distinct byte range or object of one execution 2 * threads * 4 bytes; kept for the next execution.
 * Source:     [TRACES87]; vector clocks of the dependence relation: [DPOR05].
 */
#ifndef VTB_MAZURKIEWICZ_H
#define VTB_MAZURKIEWICZ_H

#include "vtb/hash.h"
#include "vtb/trace.h"

struct vtb_mazurkiewicz;

/** `tab` (may be NULL) is used to tell apart symbolic addresses; it is borrowed and may grow. */
int vtb_mazurkiewicz_new(const struct vtb_symtab *tab, struct vtb_mazurkiewicz **ret);
void vtb_mazurkiewicz_free(struct vtb_mazurkiewicz *m);

/** Start a new execution: the fingerprint of nothing is {0, 0}. */
void vtb_mazurkiewicz_begin(struct vtb_mazurkiewicz *m);

/** The next event; *ret (may be NULL) is the fingerprint of the prefix that ends with it. 0 or -ENOMEM, after which
 * only begin() and free() make sense. */
int vtb_mazurkiewicz_feed(struct vtb_mazurkiewicz *m, const struct vtb_event *e, struct vtb_hash128 *ret);

/** The fingerprint so far. */
struct vtb_hash128 vtb_mazurkiewicz_fingerprint(const struct vtb_mazurkiewicz *m);

/** The clock of the last visible operation of `thread`: entry s is the number of operations of thread s that it depends
 *  on. Valid until the next call; *ret_len entries, later ones are 0. */
const uint32_t *vtb_mazurkiewicz_clock(const struct vtb_mazurkiewicz *m, uint32_t thread, uint32_t *ret_len);

/** Fingerprint of n events at once. */
int vtb_mazurkiewicz_of(const struct vtb_event *events, size_t n, const struct vtb_symtab *tab,
                        struct vtb_hash128 *ret);

#endif /* VTB_MAZURKIEWICZ_H */
