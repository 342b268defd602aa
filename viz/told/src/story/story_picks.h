/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file story_picks.h The steps of a story while they are chosen; story_cause.c: if the cause is known. */
#ifndef VTB_STORY_PICKS_H
#define VTB_STORY_PICKS_H

#include "vtb/classify.h"

#define PICKS_MAX 64u

/* How much the reader needs a step; the least needed go first when there are too many. */
enum weight { NEED_LITTLE = 1, NEED_CONTEXT, NEED_SWITCH, NEED_PATTERN, NEED_FAILURE };

struct pick {
	struct vtb_step step;
	enum weight weight;
};

struct teller {
	const struct vtb_exec *x;
	const struct vtb_symtab *tab;
	struct pick picks[PICKS_MAX];
	size_t n;
};

void story_pick(struct teller *t, size_t at, enum vtb_step_role role, enum weight weight);
/** Number `i` of what had not been done. */
void story_pick_pending(struct teller *t, size_t i, enum weight weight);
/** The failure, and the last thing its thread looked at. Where a program only ends with a status, its last operations
 * are what libraries take down. */
void story_pick_failure(struct teller *t, enum weight last_look);

/** Keep of what was picked what waiting threads, memory and the schedule need, and add the cause's operations. */
void story_tell_cause(struct teller *t, const struct vtb_cause *cause, struct vtb_story *story);
/** Handlers of signals that change what their thread reads then, or end its call (story_handlers.c). */
void story_pick_handlers(struct teller *t);
/** The last call of the thread that fails that a handler has ended early (EINTR) and that it did not make again, or
 * VTB_EVENT_NONE. O(events). */
size_t story_interrupted(const struct vtb_exec *x);
/** The call by which the program sent itself the signal that has killed it, or VTB_EVENT_NONE. O(events). */
size_t story_killed_by(const struct vtb_exec *x);
/** The thread of event `at` was stopped after it (story_stops.c). */
void story_pick_stop(struct teller *t, size_t at);
/** A thread is stopped at the last of the steps that it does until then, whichever that is. The picks are sorted. */
void story_settle_stops(struct teller *t);
/** Where a thread was stopped is told at its last operation that is shown. The picks are sorted. */
void story_carry_preemptions(struct teller *t);

/** Of a wait that came after the signal for it: what was changed in between without the mutex (story_waits.c). */
void story_pick_overtaken(struct teller *t, const struct vtb_triple *triple);
/** By whom a thread that ends with this event is ended. */
void story_pick_cancel(struct teller *t, const struct vtb_event *end);
/** One signal, several waiters. */
void story_pick_other_waiters(struct teller *t, const struct vtb_triple *triple);

static inline bool story_is_deadlock(enum vtb_verdict verdict)
{
	return verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

#endif /* VTB_STORY_PICKS_H */
