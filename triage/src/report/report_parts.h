/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file report_parts.h
 * Sentences that several reports share. Each writes at most `size` bytes into `buf` and returns it.
 */
#ifndef VTB_REPORT_PARTS_H
#define VTB_REPORT_PARTS_H

#include "vtb/hunt.h"
#include "vtb/wire.h"

#define VTB_REPORT_TIMING VTB_OUT_TIMING

/** What failed, in one sentence: "assertion failed: account.c:41: main: Assertion `x' failed." */
char *vtb_report_failure(const struct vtb_exec *x, const struct vtb_symtab *tab, bool regardless, char *buf,
                         size_t size);

/** "within 2 preemptions over 2 variables", "within 1 preemption over 1 variable (stopped by the time limit)". */
char *vtb_report_bound(const struct vtb_hunt_facts *facts, char *buf, size_t size);

/** "the wait ends without a signal": what a deviation of this kind (enum vtb_deviation_kind) is. */
const char *vtb_report_deviation_text(unsigned kind);
/** The same as the statement names the kind: "spurious wake-ups". */
const char *vtb_report_deviation_plural(unsigned kind);
/** "1 preemption, 1 deadline that passes early, 2 variables, 2 threads": the tuple, by kind of deviation. */
char *vtb_report_tuple(const struct vtb_finding *f, char *buf, size_t size);

/** "after 0.1's 3rd operation, read of balance at account.c:17: run 0.2 (1 preemption)". */
char *vtb_report_deviation(const struct vtb_deviation *d, const struct vtb_symtab *tab, char *buf, size_t size);

/** "FIXED", "STILL FAILS", "CANNOT TELL". */
const char *vtb_report_fix_word(enum vtb_fix_answer answer);
/** The answer in one sentence. */
char *vtb_report_fix(const struct vtb_hunt_result *result, char *buf, size_t size);

/** One sentence or two: what to change, or, for a program that fails in every schedule, what to do instead. "" if there
 * is nothing honest to say. Returns buf. */
char *vtb_report_advice(const struct vtb_hunt_result *result, const struct vtb_finding *f, char *buf, size_t size);

#endif /* VTB_REPORT_PARTS_H */
