/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file predict_unlocked.h Accesses without the lock that is held elsewhere (vtb/discipline.h), as warnings. */
#ifndef VTB_PREDICT_UNLOCKED_H
#define VTB_PREDICT_UNLOCKED_H

#include "predict.h"

struct vtb_races;
struct vtb_trace;

/** Take up those of a run, of which these are the races. x: to be told at the user's lines; NULL: it is. 0 or -ENOMEM.
 */
int vtb_predict_unlocked(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_trace *trace,
                         const struct vtb_races *races);

/** Of those of a run that is `x` at the user's own lines: put them in the place of what run number `nth` has shown. If
 * there are none, that stays. 0 or -ENOMEM. */
int vtb_predict_reword(struct vtb_predictions *p, uint32_t nth, const struct vtb_exec *x, const struct vtb_symtab *tab);

#endif /* VTB_PREDICT_UNLOCKED_H */
