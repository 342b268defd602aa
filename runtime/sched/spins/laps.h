/* SPDX-License-Identifier: BSD-2-Clause */
/** @file laps.h The process comes round to a state in which it was, while threads hold back and let go (laps.c). */
#ifndef VTB_RT_LAPS_H
#define VTB_RT_LAPS_H

#include "base.h"

/** What is watched, from some hold-backs of a run on. */
struct vtb_laps {
	bool on;               /* what anybody touches is noted */
	bool due;              /* a thread has been held back since the last point */
	uint32_t holds;        /* times that a thread was held back; since one of them, up to */
	uint32_t since, limit; /* how many make another one the one that is compared with */
	uint64_t last;         /* points of the run, at the last time */
	uint64_t changes;      /* of anything but one's own stack */
	/* the process as it was: who was held back, its fingerprint, how many words, changes */
	const struct vtb_rt_thread *who;
	uint64_t print, words, before;
	struct vtb_anchor all; /* of all threads: what was touched */
};

/** A thread has been held back as one whose state repeats. */
void vtb_laps_held(void);
/** At t's point, if laps.on or laps.due: is the process in a state that it has been in, by the policy alone? */
bool vtb_laps_come_round(const struct vtb_rt_thread *t);
/** A thread arrives at `call`, or has done it; what it does is noted. */
void vtb_laps_note(const struct vtb_call *call);
void vtb_laps_done(const struct vtb_call *call, bool plain);
/** Something was done that is not noted: what comes is compared with states from now on. */
void vtb_laps_lost(void);
/** No more, until threads are held back as often as at first. */
void vtb_laps_stop(void);
/** Fingerprint of threads and of what they have touched. O(stack in use + words). */
uint64_t vtb_laps_print(void);

#endif /* VTB_RT_LAPS_H */
