/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fair.h Fairness: threads that spin wait (fair.c; docs/decisions, 62). */
#ifndef VTB_RT_FAIR_H
#define VTB_RT_FAIR_H

#include <stdbool.h>
#include <stdint.h>

struct vtb_call;
struct vtb_rt_thread;

/** Has the operation done no more than touch the memory and the objects that it names? */
bool vtb_fair_is_plain(const struct vtb_call *call);
/** What t's last plain write has written is known now: has it changed anything? */
void vtb_fair_see_written(struct vtb_rt_thread *t);
/** That t goes round in a loop, at pc, is only assumed: the outcome says so. */
void vtb_fair_assumed(const struct vtb_rt_thread *t, uint64_t pc);
/** After an operation: does the thread spin? Sets t->sched.spinning. */
void vtb_fair_note(struct vtb_rt_thread *t, const struct vtb_call *call);
/** The same for a plain access of at most 16 bytes, in a run that is calm. */
void vtb_fair_note_access(struct vtb_rt_thread *t, const struct vtb_call *call);
/** It has written, once or several times, while nobody looked. */
void vtb_fair_wrote(struct vtb_rt_thread *t);
/** Runs will be rolled back: tables for the first n threads that need not be. O(1). */
void vtb_fair_keep_tables(uint32_t n);
void vtb_fair_begin_run(void); /* call before there is a thread */
/** What t has read counts for nothing any more. O(1), or a table of 5 KB. */
void vtb_fair_forget(struct vtb_rt_thread *t);
/** t->base.seen, made when it is first wanted; NULL: no memory. */
uint64_t *vtb_fair_table(struct vtb_rt_thread *t);
/** Is it held back, and is all that it waits for as it was? */
bool vtb_fair_waits(const struct vtb_rt_thread *t);
/** Nobody can go on: let those who only spin try again. False if none spins or they have had their chances. */
bool vtb_fair_retry(void);
/** May somebody who sleeps, a timer, or another process do something yet? O(threads). */
bool vtb_fair_something_may_come(void);
/** Keep t from going on until somebody else changes something. */
void vtb_fair_hold_back(struct vtb_rt_thread *t);

#endif /* VTB_RT_FAIR_H */
