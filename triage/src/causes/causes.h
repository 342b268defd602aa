/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file causes.h
 * Why the program fails (vtb/cores.h), for the reports: after a finding was told and made simpler, within a budget of
 * its own.
 */
#ifndef VTB_TRIAGE_CAUSES_H
#define VTB_TRIAGE_CAUSES_H

#include "hunt_priv.h"

/** Fill f->causes: cores in words, what kind of mistake each is, repairs that hold. Leaves it empty if there is no
 * time. 0 or an error. */
int vtb_finding_causes(struct vtb_hunt *hunt, struct vtb_finding *f);

/** Take the races that are an order of some finding's cause out of result->suspects: they are part of the failure.
 * O(suspects * orders). */
void vtb_causes_explain_suspects(struct vtb_hunt_result *result);

#endif /* VTB_TRIAGE_CAUSES_H */
