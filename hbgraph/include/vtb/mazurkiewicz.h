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
 *               + sum over the events of  hash(thread, number, kind, deviation, news)   (mod 2^128)
 *
 * where `news` is, added up, which operations the event comes after that its thread did not know of: of each place and
 * object that it touches the last write, and if it writes, what each thread has read there last since; of these, those
 * that no other of them comes after. A thread knows of what its operations depend on, directly or through others. So
 * news are the last of what comes before the event and did not come before its thread's past, which the order alone
 * decides, and which determines it (docs/algorithms.md); a sum does not depend on the order of its terms, and can be
 * had for every prefix. The hash is the end of SplitMix64, once for each
 * half. An access, plain or atomic, or a free(), without news has no term of its own: it stands where its number says.
 * So it makes no difference whether accesses to what only one thread touches are events or are told by their number
 * (OWNED). Two different classes meet with odds 2^-128 a pair; in a set of n classes n^2 / 2^129.
 *
 * Shape:      thread and variable ids must mean the same in every execution that is compared (those of a runner's
 * table). Addresses may differ between executions; they decide only what overlaps. Unknown addresses touch nothing.
 * Complexity: O(1) an event without news, O(threads) with; 20 to 50 ns with up to 4 threads. begin() is O(1).
 * Memory:     as many clocks of threads * 4 bytes as are in use, at most three for a byte range or object of one
 *             execution; kept for the next execution.
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

/** Of how many operations of `other` the last visible operation of `thread` knows: of those that it depends on. Its own
 *  count itself. O(1). */
uint32_t vtb_mazurkiewicz_knows(const struct vtb_mazurkiewicz *m, uint32_t thread, uint32_t other);

/** Fingerprint of n events at once. */
int vtb_mazurkiewicz_of(const struct vtb_event *events, size_t n, const struct vtb_symtab *tab,
                        struct vtb_hash128 *ret);

#endif /* VTB_MAZURKIEWICZ_H */
