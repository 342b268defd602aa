/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file items_told.h  Which items were completed and which were not, for the statement. */
#ifndef VTB_ITEMS_TOLD_H
#define VTB_ITEMS_TOLD_H

#include "item_plan.h"

struct vtb_items_kind {
	char *name; /* of the strategy; owned */
	uint64_t completed;
};

struct vtb_items_told {
	struct vtb_items_kind *kinds;
	size_t n_kinds, cap_kinds;
	uint64_t completed, begun;                    /* begun: and no result has come */
	uint64_t not_completed[VTB_ITEM_TROUBLE + 1]; /* by states */
	char *why[VTB_ITEM_TROUBLE + 1];              /* the first of each; owned */
	uint32_t workers;                             /* most at a time */
	char *ended;                                  /* why no more results came; owned, NULL: they did */
};

/** `result` NULL: it was given out and has not come back. 0 or -ENOMEM. */
int vtb_items_told_add(struct vtb_items_told *told, const struct vtb_item_wish *wish,
                       const struct vtb_item_result *result);
void vtb_items_told_workers(struct vtb_items_told *told, uint32_t workers);
/** Why no more results came. 0 or -ENOMEM. */
int vtb_items_told_end(struct vtb_items_told *told, const char *why);
/** Nobody takes them: none was completed, and many were refused or could not be run. */
bool vtb_items_told_hopeless(const struct vtb_items_told *told);
/** A fresh string: sentences. NULL: no memory. */
char *vtb_items_told_text(const struct vtb_items_told *told);
void vtb_items_told_fini(struct vtb_items_told *told);

#endif /* VTB_ITEMS_TOLD_H */
