/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file dpor_compose.h
 * What runs have shown of the threads, for reads-from equivalence: what a thread does next is decided by what it did
 * and by what it read, and that by what the writers did and read. So a run of which all of that has been seen, in
 * whatever combination, need not be made: it is put together here.
 *
 * Ownership: vtb_composer_free() frees it; executions are the caller's.
 * Errors:    -ENOMEM.
 * Limits:    plain and atomic accesses, mutexes, birth, death, join, exit. A run with anything else ends it: from then
 * on nothing is put together, and every run is made.
 */
#ifndef VTB_DPOR_COMPOSE_H
#define VTB_DPOR_COMPOSE_H

#include <stdbool.h>

#include "vtb/exec.h"

struct vtb_composer;

int vtb_composer_new(struct vtb_composer **ret);
void vtb_composer_free(struct vtb_composer *c);

/** Take a run that was made. O(events · threads). */
int vtb_composer_learn(struct vtb_composer *c, const struct vtb_exec *x);

/** Put together the run in which the threads of order[0..n) do one operation each, and then those of `ranks` (all
 * threads, best first) whoever can go on. 1: *ret is a run, and one of its class was made; 0: it has to be made; or an
 * error. O(events · threads). */
int vtb_composer_compose(struct vtb_composer *c, const uint32_t *order, size_t n, const uint32_t *ranks, size_t n_ranks,
                         struct vtb_exec *ret);

/** Runs that were put together. */
uint64_t vtb_composer_composed(const struct vtb_composer *c);
/** False: a thread was seen to do two different things with the same past. What was put together before may be wrong.
 */
bool vtb_composer_sound(const struct vtb_composer *c);

#endif /* VTB_DPOR_COMPOSE_H */
