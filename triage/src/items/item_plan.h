/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file item_plan.h
 * Which items a hunt is made of, one after another, from what the results of earlier ones show:
 *
 *     portfolio, small, first ──► walks (random, pos, surw, pct), a seed each: more of those that find new classes
 *                            └──► dpor and cvt, one item at a time each: the next has twice the budget, as what is
 *                                 claimed is claimed by one item; its end is the end of the hunt if it is complete
 *
 * With --strategy only that one; with a list (--items) only what is in it.
 * Ownership: the plan owns what it hands out.
 */
#ifndef VTB_ITEM_PLAN_H
#define VTB_ITEM_PLAN_H

#include "vtb/items.h"

#define VTB_ITEM_LIST_MAX 1000000u

/** What is asked for: an id, and the options that are the item's own. */
struct vtb_item_wish {
	char id[VTB_ITEM_ID_MAX + 1];
	char **options; /* "name=value", NULL-terminated */
	size_t chain;   /* the plan's own */
	uint64_t budget;
};
void vtb_item_wish_fini(struct vtb_item_wish *wish);

struct vtb_item_plan;
/** `list`: a file with a JSON object a line, `id` and `options`; NULL: the plan is made here. */
int vtb_item_plan_new(const struct vtb_hunt_opts *opts, const char *list, struct vtb_item_plan **ret,
                      struct vtb_error *err);
void vtb_item_plan_free(struct vtb_item_plan *plan);

/** The next, for `seconds` that are left at most. 1: *ret is there; 0: none now, or no more at all; or -ENOMEM. */
int vtb_item_plan_next(struct vtb_item_plan *plan, double seconds, struct vtb_item_wish *ret);
/** What became of it; `news`: classes that no other item had shown. */
void vtb_item_plan_took(struct vtb_item_plan *plan, const struct vtb_item_wish *wish,
                        const struct vtb_item_result *result, uint64_t news);
/** Nothing more will be asked for. */
bool vtb_item_plan_over(const struct vtb_item_plan *plan);

#endif /* VTB_ITEM_PLAN_H */
