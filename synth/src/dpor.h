/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What strategy_dpor.c (which run next) and dpor_races.c (what can be turned round) share. */
#ifndef VTB_SYNTH_DPOR_H
#define VTB_SYNTH_DPOR_H

#include "chances.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/strategy.h"

/* A thread that sleeps at a state: what it would do was tried there. */
struct sleeper {
	struct vtb_event event;
};

struct level {
	struct vtb_event event;   /* chosen; kind 0: nothing yet */
	uint32_t chosen;          /* thread */
	uint32_t index;           /* operations that thread has done, this one included */
	uint32_t before;          /* level of that thread's operation before + 1; 0 none */
	bool ends;                /* the run failed with it: what the others would still do was not seen */
	struct sleeper *sleepers;
	size_t n_sleepers, cap_sleepers;
};

struct dpor {
	const struct vtb_space *space;
	struct vtb_mazurkiewicz *order;
	struct level *levels;
	size_t n_levels, cap_levels;
	size_t used_levels;       /* levels that were ever initialised: their arrays are kept */
	uint32_t stride;          /* words of a set of threads */
	uint64_t *enabled, *backtrack, *done; /* by level, `stride` words each */
	size_t room;              /* levels they have room for */
	uint32_t *clocks;         /* by level: operations of each thread that it depends on; 64 * stride entries */
	size_t next_level;        /* where the next schedule departs */
	bool started, exhausted;
	uint64_t blocked, diverged, runs;
	bool timed;               /* time passed in some run */
	struct vtb_chances chances;
	uint32_t possible;        /* kinds of deviations that could have happened, and are not explored: bit 1 << kind */
	uint64_t cut;             /* runs that were stopped: nothing is known about their rest */
};

/* Sets of threads. */
static inline uint64_t *vtb_dpor_set(const struct dpor *d, uint64_t *sets, size_t level)
{
	return sets + level * d->stride;
}

static inline bool vtb_dpor_in_set(const uint64_t *set, uint32_t thread)
{
	return set[thread / 64] >> thread % 64 & 1;
}

static inline void vtb_dpor_add(uint64_t *set, uint32_t thread)
{
	set[thread / 64] |= 1ull << thread % 64;
}

/** Does the order of the two operations matter, apart from whether both can take place? */
bool vtb_dpor_dependent(const struct vtb_event *a, const struct vtb_event *b);

/** Have every operation before level `end` turned round that can be with `e`, whose thread's last operation before is
 *  level `before` - 1 (0: none). O(end) a pair that cannot be, O(end^2) one that can. */
void vtb_dpor_find_races(struct dpor *d, const struct vtb_event *e, uint32_t before, size_t end);

#endif /* VTB_SYNTH_DPOR_H */
