/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file mutex_states.h
 * Who has which mutex in a run that is put together (dpor_compose.h), and what becomes of an owner who asks for one
 * again: that is not known until a run has shown it.
 *
 * Ownership: an embedded value, {0} is valid.
 * Errors:    -ENOMEM.
 */
#ifndef VTB_MUTEX_STATES_H
#define VTB_MUTEX_STATES_H

#include "vtb/map64.h"
#include "vtb/trace.h"

struct vtb_mutex_states {
	struct vtb_map64 owners; /* mutex -> thread + 1, and how many times over */
	struct vtb_map64 again;  /* mutex -> what becomes of its owner who asks for it again; stays from run to run */
};

void vtb_mutex_states_fini(struct vtb_mutex_states *s);
/** All are free: a new run. */
void vtb_mutex_states_clear(struct vtb_mutex_states *s);
/** Can the thread that stands at this lock operation take it now, or be refused? */
bool vtb_mutex_states_free(const struct vtb_mutex_states *s, const struct vtb_event *lock);
/** Does the thread have it, and has no run shown what becomes of that? False for other operations. */
bool vtb_mutex_states_unsure(const struct vtb_mutex_states *s, const struct vtb_event *e);
/** A run has shown it: the thread goes on, or not. */
int vtb_mutex_states_learn(struct vtb_mutex_states *s, const struct vtb_event *lock, bool goes_on);
/** An operation on a mutex took place. 1: it is not understood in this state. */
int vtb_mutex_states_apply(struct vtb_mutex_states *s, const struct vtb_event *e);

#endif /* VTB_MUTEX_STATES_H */
