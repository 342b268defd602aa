/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file aimed.h
 * Schedules that begin the hunt at the orders that only failing recordings have: the two operations of each come in
 * that order, and what else happens is left to the default choice, or to chance.
 */
#ifndef VTB_AIMED_H
#define VTB_AIMED_H

#include "vtb/schedule.h"
#include "vtb/trace.h"
#include "vtb/triage.h"

#define VTB_AIMED_DRAWS 3u /* by chance, for each suspect, besides the default choice */

/** Append them for each of the n suspects that the failing run has, the most telling first; operations are named.
 * *ret_n: how many. 0 or -ENOMEM or -VTB_E_LIMIT. O(events * suspects). */
int vtb_aimed_schedules(const struct vtb_trace *failing, const struct vtb_suspect *suspects, size_t n,
                        struct vtb_schedules *ret, size_t *ret_n);

#endif /* VTB_AIMED_H */
