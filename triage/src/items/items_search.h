/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file items_search.h  The search of a hunt as items: who runs them, what they show together. */
#ifndef VTB_ITEMS_SEARCH_H
#define VTB_ITEMS_SEARCH_H

#include "hunt_priv.h"

/** struct vtb_hunt's search: opts->items say where. 0 or an error; -EINVAL and a sentence: the cluster cannot be
 * used. */
int vtb_items_search(struct vtb_hunt *hunt);

#endif /* VTB_ITEMS_SEARCH_H */
