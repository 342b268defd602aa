/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file item_driver.h
 * A process that has items run: an item a line goes to its standard input, a result a line comes back, in any order.
 * `vtb-run-item` is one, which runs them here, one after another; the other gives them to a cluster of Dask
 * (triage/cluster). What else it says is an object of its own (format "vtb-cluster"): how many items it runs at a time,
 * or why it cannot.
 */
#ifndef VTB_ITEM_DRIVER_H
#define VTB_ITEM_DRIVER_H

#include "vtb/items.h"

struct vtb_item_driver;

/** `cluster`: tcp://HOST:PORT of a scheduler; NULL: here. */
int vtb_item_driver_new(const char *cluster, struct vtb_item_driver **ret, struct vtb_error *err);
/** It ends, and what it has under way is given up. Accepts NULL. */
void vtb_item_driver_free(struct vtb_item_driver *d);

/** Hand an item over; it is written as the driver takes it. 0 or -ENOMEM. */
int vtb_item_driver_give(struct vtb_item_driver *d, const struct vtb_item *item);
/** Wait so long for a result. 1: *ret is there; 0: none has come; or -VTB_E_TOOL and a sentence: it has ended, or says
 * what is no result. */
int vtb_item_driver_take(struct vtb_item_driver *d, double seconds, struct vtb_item_result *ret, struct vtb_error *err);
/** Items that it runs at a time, as it said last; 0: it has not said. */
uint32_t vtb_item_driver_slots(const struct vtb_item_driver *d);
/** Workers likewise. */
uint32_t vtb_item_driver_workers(const struct vtb_item_driver *d);

#endif /* VTB_ITEM_DRIVER_H */
