/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file predict_list.h What is left of the predictions at the end of a hunt: its suspects and warnings. */
#ifndef VTB_PREDICT_LIST_H
#define VTB_PREDICT_LIST_H

#include "hunt_priv.h"

/** Fill hunt->result's suspects and warnings. 0 or an error. */
int vtb_predict_list(struct vtb_hunt *hunt);

#endif /* VTB_PREDICT_LIST_H */
