/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One bit a place in the order of ranks, with summaries above it:
 *
 *                         level 2            [1]            a bit is set if the word below it is not 0
 *                         level 1    [0110................]
 *                         level 0    [0][10010][1][0]...     place -> thread
 */
#include "rank_places.h"

#define LEVELS 5u /* 64^4 places and more */

bool vtb_places_kept VTB_HISTORY;
static uint64_t *levels[LEVELS] VTB_HISTORY;
static uint32_t n_levels VTB_HISTORY;
static uint64_t n_listed VTB_HISTORY;
static struct vtb_rt_thread **at_place VTB_HISTORY; /* those in the schedule's list, then those that fell below it */

/* Policies that draw do not ask for the best, but who deviates may. */
static bool are_asked_for(const struct vtb_wire_schedule *s)
{
	return s->policy == VTB_POLICY_RUN_TO_BLOCK || s->policy == VTB_POLICY_PRIORITY || s->deviations;
}

void vtb_places_begin(uint64_t listed, uint64_t demotions)
{
	const uint64_t lowest = (listed + VTB_RT_THREADS_MAX + demotions + 63) / 64;
	uint64_t all = 1;
	uint64_t *at;

	vtb_places_kept = are_asked_for(vtb_sched.schedule);
	if (!vtb_places_kept)
		return;
	for (uint64_t words = lowest; words > 1; words = (words + 63) / 64)
		all += words;
	at = vtb_rt_alloc_aside((all + listed + demotions) * sizeof(*at));
	n_levels = 0;
	for (uint64_t words = lowest; words > 1; words = (words + 63) / 64) {
		levels[n_levels++] = at;
		at += words;
	}
	levels[n_levels++] = at++;
	at_place = (struct vtb_rt_thread **)at;
	n_listed = listed;
}

/* Between the listed places and those below lie the threads that nobody has ranked, by slot. */
static struct vtb_rt_thread **holder(uint64_t place)
{
	if (place < n_listed)
		return &at_place[place];
	return place < n_listed + VTB_RT_THREADS_MAX ? &vtb_rt.threads[place - n_listed]
	                                             : &at_place[place - VTB_RT_THREADS_MAX];
}

static void set_place(uint64_t place)
{
	for (uint32_t l = 0; l < n_levels; l++, place /= 64) {
		uint64_t *word = &levels[l][place / 64];
		const bool there = *word;

		*word |= 1ull << place % 64;
		if (there)
			return;
	}
}

static void clear_place(uint64_t place)
{
	for (uint32_t l = 0; l < n_levels; l++, place /= 64)
		if (levels[l][place / 64] &= ~(1ull << place % 64))
			return;
}

void vtb_places_change(uint64_t place, struct vtb_rt_thread *t)
{
	if (!t) {
		clear_place(place);
		return;
	}
	*holder(place) = t;
	set_place(place);
}

struct vtb_rt_thread *vtb_places_best(void)
{
	uint64_t place = 0;

	for (uint32_t l = n_levels; l-- > 0;)
		place = place * 64 + (uint64_t)__builtin_ctzll(levels[l][place]);
	return *holder(place);
}
