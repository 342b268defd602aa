/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file told_words.h
 * Sentences about a failing run that several reports share. Each writes at most `size` bytes into `buf` and returns it.
 */
#ifndef VTB_TOLD_WORDS_H
#define VTB_TOLD_WORDS_H

#include "vtb/exec.h"
#include "vtb/wire.h"

#define VTB_REPORT_TIMING VTB_OUT_TIMING

/** What failed, in one sentence: "assertion failed: account.c:41: main: Assertion `x' failed." */
char *vtb_report_failure(const struct vtb_exec *x, const struct vtb_symtab *tab, bool regardless, char *buf,
                         size_t size);

/** "the wait ends without a signal": what a deviation of this kind (enum vtb_deviation_kind) is. */
const char *vtb_report_deviation_text(unsigned kind);
/** The same as the statement names the kind: "spurious wake-ups". */
const char *vtb_report_deviation_plural(unsigned kind);
/** "1 preemption, 1 deadline that passes early, 2 variables, 2 threads": the tuple, by kind of deviation. */
char *vtb_report_tuple(const struct vtb_exec *run, struct vtb_tuple tuple, char *buf, size_t size);

/** "after 0.1's 3rd operation, read of balance at account.c:17: run 0.2 (1 preemption)". */
char *vtb_report_deviation(const struct vtb_deviation *d, const struct vtb_symtab *tab, char *buf, size_t size);

#endif /* VTB_TOLD_WORDS_H */
