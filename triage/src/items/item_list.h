/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file item_list.h  A list of items that somebody else has made: a JSON object a line, `id` and `options`. */
#ifndef VTB_ITEM_LIST_H
#define VTB_ITEM_LIST_H

#include "item_plan.h"

struct vtb_item_list {
	struct vtb_item_wish *wishes;
	size_t n_wishes, cap_wishes;
};

/** -VTB_E_SCHEMA and the line: two have one id, or one has options that no item has. */
int vtb_item_list_read(const char *path, struct vtb_item_list *ret, struct vtb_error *err);
void vtb_item_list_fini(struct vtb_item_list *list);

#endif /* VTB_ITEM_LIST_H */
