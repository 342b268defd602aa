/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file what_matters.h
 * Which orders can matter to a failure that was found, for whoever seeks its cause: by what the search has learnt, or
 * else by slices made for that, if the program's code is so little that it takes no time.
 */
#ifndef VTB_WHAT_MATTERS_H
#define VTB_WHAT_MATTERS_H

#include "vtb/predicate_slices.h"

#include "hunt_priv.h"

/** The predicate to ask; NULL: all can matter. `own` is {0} or holds it then: vtb_pruning_end(). How much code is
 * little depends on the code alone: the same hunt says the same on any machine. 0 or -ENOMEM. */
int vtb_what_matters(struct vtb_hunt *hunt, const struct vtb_finding *f, struct vtb_pruning *own,
                     struct vtb_predicate **ret);

#endif /* VTB_WHAT_MATTERS_H */
