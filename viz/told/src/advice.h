/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file advice.h What advice_cause.c and advice_wait.c share. */
#ifndef VTB_ADVICE_H
#define VTB_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/cause.h"
#include "vtb/exec.h"

#define ADVICE_PLACE 300 /* bytes */

extern const char vtb_advice_not_proved[];

/** "pool.cc:31", into so many bytes. Returns buf. */
char *vtb_advice_place(const struct vtb_cause_op *op, char *buf);
/** Does it write data? */
bool vtb_advice_changes(const struct vtb_cause_op *op);

/** Of a cause in which a signal comes before the wait for it. Leaves buf as it is if that is not known. */
void vtb_advise_wait(const struct vtb_cause *c, char *buf, size_t size);
/** Of a cause in which what a waiter has tested is changed, and nobody signals it: which condition, if the run (may be
 * NULL) shows it. Likewise. */
void vtb_advise_signal(const struct vtb_cause *c, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                       size_t size);
/** Of threads of a pool that wait for each other's work. */
void vtb_advise_starved(char *buf, size_t size);
/** Of threads that go round and get nowhere, by what they do in the run (may be NULL). */
void vtb_advise_livelock(const struct vtb_exec *run, char *buf, size_t size);
/** Of a cause in which a thread waits to be woken under a lock that another needs. Likewise. */
void vtb_advise_lock(const struct vtb_cause *c, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                     size_t size);
/** Of causes, one of which has a read that comes before a write that had still to come. Likewise. */
void vtb_advise_late(const struct vtb_causes *all, char *buf, size_t size);
/** Of a run in which a wait ends by its deadline although others could go on: what to wait for instead. Leaves buf as
 * it is in others. */
void vtb_advise_time(const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf, size_t size);
/** Of a run whose failing thread made a call that a signal ended early. Likewise. */
void vtb_advise_interrupted(const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf, size_t size);
/** Of a run that a signal has killed which the program sent itself. Likewise. */
void vtb_advise_killed(const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf, size_t size);
/** Of one cause of one order, of which nothing better is known; by what the late thread lets the other one go on, if
 * the run (may be NULL) shows it. Likewise. */
void vtb_advise_order(const struct vtb_causes *all, const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf,
                      size_t size);

#endif /* VTB_ADVICE_H */
