/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exec_waits.h
 * Who waits for whom at the end of a run: which lock a pending operation needs, and who has it.
 * Cost: O(events) a question.
 */
#ifndef VTB_EXEC_WAITS_H
#define VTB_EXEC_WAITS_H

#include "vtb/exec.h"

#define VTB_EVENT_NONE SIZE_MAX

/** The event by which `thread` (VTB_NONE: anybody) holds the lock `var` at the end of the run, or VTB_EVENT_NONE. */
size_t vtb_exec_holder(const struct vtb_exec *x, uint32_t var, uint32_t thread);

/** Does pending operation `i` wait for a lock only because the lock's owner waits, too, without being part of a circle
 * of such waits itself? Then it is a consequence of the deadlock and no part of it. A wait for a thread's end is left
 * aside. */
bool vtb_exec_wait_follows(const struct vtb_exec *x, size_t i);

/** Has the thread signalled that condition, one or all of its waiters? O(events). */
bool vtb_exec_has_signalled(const struct vtb_exec *x, uint32_t thread, uint32_t condition);

/** Does pending operation `i` wait for a condition that a thread has signalled before which now waits for another one,
 * and not for this thread? Then it is that wait which is to be explained. O(events * pending). */
bool vtb_exec_wait_hangs_on_another(const struct vtb_exec *x, size_t i);

/** The last event by which others than the thread of `pending` were woken, and it was not, although it had begun to
 * wait where they did; VTB_EVENT_NONE: there is none. Who waits for a word of memory (a futex, std::atomic::wait())
 * counts only if the word has changed since: else it would wait again. */
size_t vtb_exec_passed_over(const struct vtb_exec *x, const struct vtb_event *pending);

#endif /* VTB_EXEC_WAITS_H */
