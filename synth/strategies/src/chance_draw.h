/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file chance_draw.h
 * For random strategies: what is not a thread switch (deadlines that pass, spurious wake-ups, other waiters, weak
 * compare-exchanges that fail, signals) with a small probability, so that failures that need it are found.
 *
 * How:       a schedule is repeatable, so a run shows what could have happened at each of its points. Now and then a
 * schedule that was run is proposed again with one such chance taken at a point drawn uniformly; the new run is a
 * random one from there on, and may get a second chance in its turn. Kinds are drawn uniformly among those possible, so
 * that one compare-exchange is not drowned by a thousand armed deadlines. Ownership: owns copies of schedules.
 */
#ifndef VTB_CHANCE_DRAW_H
#define VTB_CHANCE_DRAW_H

#include "vtb/chances.h"
#include "vtb/strategy.h"

/** Of the schedules proposed, once a run has shown a chance. */
#define VTB_CHANCE_SHARE 8u /* 1 in 8 */

struct vtb_chance_draw {
	uint64_t rng;
	struct vtb_chances chances;
	uint32_t *done; /* scratch: operations by thread */
	size_t n_done, cap_done;
	struct vtb_schedule *flight; /* proposed and not yet fed back, by ticket */
	size_t n_flight, cap_flight;
	struct vtb_schedule next[VTB_CHANCE_CLASSES]; /* the latest schedule with a chance of this class added */
	bool ready[VTB_CHANCE_CLASSES];
	uint32_t kinds;    /* possible in some run: bit 1 << kind */
	uint64_t proposed; /* schedules, in batches */
	uint64_t taken;    /* of these: with a chance added */
};

void vtb_chance_draw_init(struct vtb_chance_draw *d, uint64_t seed);
void vtb_chance_draw_fini(struct vtb_chance_draw *d);
/** A batch of at most `max` plans: `draw` fills those without a chance, and is told by d->proposed how many there were
 * before and with it. Most are brief; draw may say that it wants to see the run in full. Returns how many, or what draw
 * returned if that is negative, or -ENOMEM. */
int64_t vtb_chance_draw_batch(struct vtb_chance_draw *d, struct vtb_plan *plans, size_t max,
                              int (*draw)(void *state, struct vtb_plan *plan), void *state);
/** A batch of one: the plan as the strategy has filled it, without a chance; it does not count as proposed. 1 or
 * -ENOMEM. */
int64_t vtb_chance_draw_first(struct vtb_chance_draw *d, struct vtb_plan *plan);
/** The run with this ticket: what could have happened in it? Of brief ones nothing is known. 0 or -ENOMEM. O(events)
 * for runs that may hold a chance, else O(1). */
int vtb_chance_draw_learn(struct vtb_chance_draw *d, uint64_t ticket, const struct vtb_exec *x);
/** For claims: " <n> of them with ... at random places" appended to the text; kinds explored. */
void vtb_chance_draw_claim(const struct vtb_chance_draw *d, struct vtb_claim *ret);

#endif /* VTB_CHANCE_DRAW_H */
