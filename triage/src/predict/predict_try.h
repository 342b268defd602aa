/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file predict_try.h Confirm predictions by schedules. */
#ifndef VTB_PREDICT_TRY_H
#define VTB_PREDICT_TRY_H

#include "hunt_priv.h"
#include "predict.h"

/** Run the schedules of circles not tried yet; what fails becomes a finding, marked `predicted`. Stops at the first
 * finding unless the hunt is to go on. 0 or an error. */
int vtb_predict_try(struct vtb_hunt *hunt, struct vtb_predictions *p);

#endif /* VTB_PREDICT_TRY_H */
