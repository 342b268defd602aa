/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file item_facts.h  What an item's search showed (struct vtb_hunt_facts): written, read, put together. */
#ifndef VTB_ITEM_FACTS_H
#define VTB_ITEM_FACTS_H

#include "vtb/items.h"

/** Member "facts" of the object that is being written. */
void vtb_item_facts_write(struct vtb_json_writer *w, const struct vtb_hunt_facts *facts);
/** Likewise read; complaints stay in `doc`. */
void vtb_item_facts_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_hunt_facts *ret);

/** Counts are added, what escaped control in one has escaped in all, and of the extents the larger one stays: each
 * item's claim holds by itself, if it was `completed`. `classes` is not touched. 0 or -ENOMEM. */
int vtb_item_facts_merge(struct vtb_hunt_facts *all, const struct vtb_hunt_facts *one, bool completed);

/** Does `a` claim more than `b`? */
bool vtb_item_facts_more(const struct vtb_hunt_facts *a, const struct vtb_hunt_facts *b);

#endif /* VTB_ITEM_FACTS_H */
