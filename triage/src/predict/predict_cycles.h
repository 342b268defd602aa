/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file predict_cycles.h Circles of the lock-order graph (vtb/lockorder.h), with schedules made for them. */
#ifndef VTB_PREDICT_CYCLES_H
#define VTB_PREDICT_CYCLES_H

#include "predict.h"

struct vtb_trace;

/** Take up those of a run. 0 or -ENOMEM. */
int vtb_predict_cycles(struct vtb_predictions *p, const struct vtb_trace *trace);
void vtb_predicted_cycle_fini(struct vtb_predicted_cycle *c);

#endif /* VTB_PREDICT_CYCLES_H */
