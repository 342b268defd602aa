/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file foresight.h
 * How far a simulated run can be trusted. The simulation lets every thread do what it did when it was recorded; once a
 * thread reads another value than it read then, it may do something else.
 *
 *     recorded   T: read x = 0 · write y · lock m ...        U: write x = 1
 *     simulated  U: write x = 1                              T: read x = 1 · ?
 *
 * A read is *changed* if it now sees another write than recorded, unless both wrote the same value and the writer had
 * read nothing that changed; an operation that synchronises is, if it has another result; and either is, if a thread
 * that is no longer foreseen has gone on, and touches that variable anywhere in the recording. A changed read is no
 * doubt by itself: if the recording shows that its place read different values and went on to the same next place and
 * variable each time, the thread is taken to go on as recorded, now with unknown values. Else, and where it comes to a
 * place that went on in different ways in the recording, what it does is not foreseen from there on. Nor is how often a
 * thread goes round in a loop that only waits: from the second round on, operations that repeat a round are not
 * foreseen.
 */
#ifndef VTB_FORESIGHT_H
#define VTB_FORESIGHT_H

#include "vtb/exec.h"
#include "vtb/schedule.h"

struct vtb_foresight;

/** O(events); the table of names may grow later, its sites and variables may not. -ENOMEM. */
int vtb_foresight_new(const struct vtb_event *events, size_t n, const struct vtb_symtab *tab,
                      struct vtb_foresight **ret);
void vtb_foresight_free(struct vtb_foresight *f); /* accepts NULL */

/** Look at a run of the recorded program from its beginning. Returns, by thread, after how many of its operations it is
 * no longer foreseen (UINT32_MAX: it is to its end); valid until the next call. O(events). */
const uint32_t *vtb_foresight_of(struct vtb_foresight *f, const struct vtb_exec *x);

/** So many deviations of `s`, from the first on, stand after operations that are foreseen. */
size_t vtb_foresight_deviations(const uint32_t *foreseen, const struct vtb_schedule *s);

#endif /* VTB_FORESIGHT_H */
