/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file candidate_words.h Candidates in words, for people. Strings returned are owned by the caller; NULL on -ENOMEM.
 */
#ifndef VTB_CANDIDATE_WORDS_H
#define VTB_CANDIDATE_WORDS_H

#include "reordering.h"
#include "vtb/exec.h"

/** "preempt 0.1 after read of balance at account.c:12; ...", "0.2 before 0.1". `x` is the schedule's run. */
char *vtb_words_where(const struct vtb_schedule *s, const struct vtb_exec *x, const struct vtb_symtab *tab);

/** "write of balance by 0.2 (account.c:12) comes between read and write by 0.1 (account.c:11, account.c:12), and 1
 * more". */
char *vtb_words_why(const struct vtb_reordering *reordering, const struct vtb_exec *x, const struct vtb_symtab *tab);
/** What stands before the number of further changes. */
#define VTB_WHY_MORE ", and "

#endif /* VTB_CANDIDATE_WORDS_H */
