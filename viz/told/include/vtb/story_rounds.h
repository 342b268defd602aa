/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file story_rounds.h
 * Threads that go round at the end of a run, as in a livelock.
 */
#ifndef VTB_STORY_ROUNDS_H
#define VTB_STORY_ROUNDS_H

#include "vtb/bounded_text.h"
#include "vtb/exec.h"

#define VTB_ROUND_STEPS 256u /* operations of one round */
#define VTB_ROUND_SAID 6u

/** The operations that the thread has done again and again, the last thing that it did: events of one round, earliest
 * first, into ret[VTB_ROUND_STEPS]. 0: it does not go round. O(events). */
size_t vtb_story_round(const struct vtb_exec *x, uint32_t thread, size_t *ret);

/** The threads that do. O(events * threads). */
size_t vtb_story_rounders(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t *ret, size_t max);

/** " tries to lock b: did not get it at a.c:8, yields at a.c:9": that of the thread, appended. */
void vtb_story_say_round(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t thread,
                         struct vtb_bounded_text *text);

#endif /* VTB_STORY_ROUNDS_H */
