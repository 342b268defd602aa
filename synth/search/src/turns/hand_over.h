/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hand_over.h
 * The strategy of a search, and who goes on where it sees nothing new for long. Walks repeat themselves where a
 * program has few classes; one that makes every class once may then show that there are no more.
 *
 * When:      the strategy is quiet (vtb/strategy.h). The relief has all turns until it has nothing left. If it is
 * complete then, the search is over; else the first goes on.
 * Claims:    what the relief says if it is complete; else what the first says of its own runs, and who went on. Odds
 * that the first gives are of its own schedules; if the relief's runs did more than those had shown, there are none.
 * Ownership: owns both states.
 */
#ifndef VTB_HAND_OVER_H
#define VTB_HAND_OVER_H

#include "vtb/strategy.h"

struct vtb_hand_over {
	const struct vtb_space *space;
	const struct vtb_strategy *first, *relief; /* relief NULL: nobody */
	void *first_state, *relief_state;          /* the latter from when it is needed on */
	uint64_t runs, quiet;                      /* of the first: all, and the last ones without a new class */
	uint64_t after, quiet_then;                /* the same when it handed over */
	bool over, ended;                          /* it has; and the relief has nothing left */
	struct vtb_hand_over_extent {
		uint64_t operations; /* the most of each thread */
		uint32_t threads, shared;
	} known; /* what the first could rest its odds on */
};

/** 0 or what begin of the first returned. */
int vtb_hand_over_begin(struct vtb_hand_over *h, const struct vtb_space *space, const struct vtb_strategy *first,
                        const struct vtb_strategy *relief);
/** As next(), feedback(), claim(), end() of a strategy; the relief gets at most `usual` schedules at a time. */
int64_t vtb_hand_over_next(struct vtb_hand_over *h, struct vtb_plan *plans, size_t max, size_t usual);
int vtb_hand_over_feedback(struct vtb_hand_over *h, uint64_t ticket, const struct vtb_exec *x, bool new_class);
void vtb_hand_over_claim(const struct vtb_hand_over *h, struct vtb_claim *ret);
void vtb_hand_over_fini(struct vtb_hand_over *h);

#endif /* VTB_HAND_OVER_H */
