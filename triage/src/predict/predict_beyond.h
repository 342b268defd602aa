/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file predict_beyond.h
 * What runs let one fear that no schedule tries: orders of atomic operations that no interleaving shows
 * (vtb/weak_orders.h), and plain accesses of more than 8 bytes, one step each, that race. A claim says what it leaves
 * out. Fills `weak` and `torn` of the predictions.
 *
 * Which runs:  of each class the first that is told whole, also one that failed, until VTB_PREDICT_WEAK_STEPS and
 *              VTB_PREDICT_TORN_STEPS are spent; what comes later is said to be unseen.
 * Complexity:  O(events) a run; vtb_races_of() where a thread touches what another has in a large access.
 */
#ifndef VTB_PREDICT_BEYOND_H
#define VTB_PREDICT_BEYOND_H

#include "predict.h"

/** Take up a run. Ids are those of `tab`. 0 or -ENOMEM. */
int vtb_predict_beyond(struct vtb_predictions *p, const struct vtb_exec *x, uint64_t class_id,
                       const struct vtb_symtab *tab);
/** This is the run of `weak_run` again, told with the user's lines: name these. 0 or -ENOMEM. */
int vtb_predict_reword_weak(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab);

#endif /* VTB_PREDICT_BEYOND_H */
