/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file variety.h
 * How many different words does a thread read again? Who waits looks at the same few words time and again; who
 * computes reads its tables, rows and strings again, and those are many; or what it counts itself.
 *
 * Shape:   a small set of addresses a thread, and how often the thread was taken for one that computes: each time it
 * may read 16 times as much again as before, until others move.
 */
#ifndef VTB_RT_VARIETY_H
#define VTB_RT_VARIETY_H

#include "base.h"

struct vtb_call;

/** Words that a round of a loop that waits may look at. */
#define VTB_VARIETY 16u
/** Times in a row that a thread is believed: 6000 readings, 16 times as many, ... 1.5 million. */
#define VTB_VARIETY_LEVELS 2u

struct vtb_variety {
	uint32_t n;      /* different ones; VTB_VARIETY + 1: more */
	uint32_t level;  /* times that it was believed */
	uint32_t noted;  /* readings, */
	uint32_t counts; /* and those of words that it changes itself */
	struct vtb_varied {
		const void *word;
		uint64_t value;
		bool changes;
		uint8_t size_log2; /* VTB_REC_SIZE_IN_ARG: no word of memory */
	} words[VTB_VARIETY];      /* the first n */
};

/** It begins anew: others have moved. O(1). */
static inline void vtb_variety_clear(struct vtb_variety *v)
{
	v->n = v->level = v->noted = v->counts = 0;
}
/** Note that `call` reads again that `value` is there. O(VTB_VARIETY). */
void vtb_variety_note(struct vtb_variety *v, const struct vtb_call *call, uint64_t value);
/** Have so many readings of what is known, more than `most` at first, come, that it is to be asked whether the thread
 * spins? O(1). */
static inline bool vtb_variety_is_due(const struct vtb_variety *v, uint32_t readings, uint32_t most)
{
	return readings > (uint64_t)most << 4 * v->level;
}
/** Are they within the last `before` readings ahead of that? O(1). */
static inline bool vtb_variety_is_near(const struct vtb_variety *v, uint32_t readings, uint32_t most, uint32_t before)
{
	return readings + (uint64_t)before > (uint64_t)most << 4 * v->level;
}
/** Does the thread compute? Asked when it is due; if so it is believed, and the next time is later. If not, its words
 * stay until others have moved. O(1). */
bool vtb_variety_computes(struct vtb_variety *v);
/** Note what its words hold now. False: which these are is not known, or some are objects of models. O(VTB_VARIETY). */
bool vtb_variety_keep(struct vtb_variety *v);
/** Do they still hold that, or what was last read there? False if they are not known. O(VTB_VARIETY). */
bool vtb_variety_is_kept(const struct vtb_variety *v);

#endif /* VTB_RT_VARIETY_H */
