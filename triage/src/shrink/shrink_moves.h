/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file shrink_moves.h
 * What shrinking tries next from a failing run, and what a run costs. Every family looks at the best run so far and its
 * exact schedule and proposes schedules; whether they still fail is for the runner to say.
 */
#ifndef VTB_SHRINK_MOVES_H
#define VTB_SHRINK_MOVES_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/exec.h"

/** Compared member by member, in this order. */
struct shrink_cost {
	uint32_t c, v;
	uint32_t threads;    /* that a deviation takes the processor from or gives it to */
	uint32_t departures; /* from what run-to-block does by itself: what a schedule has to say */
	uint32_t switches;   /* of any kind */
	uint32_t far;        /* paid switches that do not follow an access the intruders conflict with */
};

/** O(events * threads / 64). */
struct shrink_cost vtb_shrink_cost(const struct vtb_exec *x, const struct vtb_schedule *exact);
int vtb_shrink_compare(const struct shrink_cost *a, const struct shrink_cost *b);

/** A window of a family's proposals, which always come in the same order. Each is a copy of a whole schedule: of a
 * thousand switches all of them take longer than running the first, which often do. */
struct shrink_moves {
	struct vtb_schedule *schedules; /* owned */
	size_t n_schedules, cap_schedules;
	size_t skip, room; /* so many are left out before the window, and so many fit */
	size_t n_proposed; /* until the window was full: those left out count, too */
};
void vtb_shrink_moves_fini(struct shrink_moves *moves);
/** There may be more behind the window. */
bool vtb_shrink_moves_full(const struct shrink_moves *moves);

/** Append the proposals in the window for the run `x` of the schedule `s`: 0 or -ENOMEM. */
typedef int (*shrink_move_fn)(const struct vtb_exec *x, const struct vtb_schedule *s, struct shrink_moves *moves);

int vtb_shrink_remove(const struct vtb_exec *x, const struct vtb_schedule *s,
                      struct shrink_moves *moves); /* halves, quarters, ... single ones */
int vtb_shrink_move(const struct vtb_exec *x, const struct vtb_schedule *s,
                    struct shrink_moves *moves); /* one switch, earlier or later */
int vtb_shrink_retarget(const struct vtb_exec *x, const struct vtb_schedule *s,
                        struct shrink_moves *moves); /* one switch, to another thread */
int vtb_shrink_single(const struct vtb_exec *x, const struct vtb_schedule *s,
                      struct shrink_moves *moves); /* one paid switch without the others, perhaps to another thread */
int vtb_shrink_rename(const struct vtb_exec *x, const struct vtb_schedule *s,
                      struct shrink_moves *moves); /* two threads change roles: they may be alike */

#endif /* VTB_SHRINK_MOVES_H */
