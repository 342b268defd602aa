/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file predict_unlocked.h Accesses without the lock that is held elsewhere (vtb/discipline.h), as warnings. */
#ifndef VTB_PREDICT_UNLOCKED_H
#define VTB_PREDICT_UNLOCKED_H

#include "predict.h"

struct vtb_races;
struct vtb_trace;

/** Take up those of a run, of which these are the races. 0 or -ENOMEM. */
int vtb_predict_unlocked(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_races *races);

#endif /* VTB_PREDICT_UNLOCKED_H */
