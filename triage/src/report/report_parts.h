/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file report_parts.h
 * Sentences that several reports share. Each writes at most `size` bytes into `buf` and returns it.
 */
#ifndef VTB_REPORT_PARTS_H
#define VTB_REPORT_PARTS_H

#include "vtb/told.h"
#include "vtb/told_words.h"
#include "vtb/hunt.h"

/** "within 2 preemptions over 2 variables", "within 1 preemption over 1 variable (stopped by the time limit)". */
char *vtb_report_bound(const struct vtb_hunt_facts *facts, char *buf, size_t size);

/** "output differs between schedules: 2 variants in 40 runs; --expect-output makes that a failure"; "" if it does not,
 * or is a failure already. */
char *vtb_report_outputs(const struct vtb_hunt_facts *facts, char *buf, size_t size);

/** Why nothing is proved: what stopped the run of the default schedule, or the verdict. */
char *vtb_report_nothing(const struct vtb_hunt_result *result, char *buf, size_t size);

/** How much of the hunt came from its state. */
char *vtb_report_resumed(const struct vtb_hunt_state_facts *s, char *buf, size_t size);

/** "FIXED", "STILL FAILS", "CANNOT TELL". */
const char *vtb_report_fix_word(enum vtb_fix_answer answer);
/** The answer in one sentence. */
char *vtb_report_fix(const struct vtb_hunt_result *result, char *buf, size_t size);

/** What the verdict block says of a finding; borrows from both. */
struct vtb_told vtb_report_told(const struct vtb_hunt_result *result, const struct vtb_finding *f);
/** With what it was made; borrows. */
struct vtb_tool_options vtb_report_tools(const struct vtb_hunt_facts *facts);
/** What it says of how the hunt went; `test` is borrowed, f may be NULL. */
struct vtb_found vtb_report_found(const struct vtb_hunt_result *result, const struct vtb_finding *f);

#endif /* VTB_REPORT_PARTS_H */
