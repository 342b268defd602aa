/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "how_many.h"

#define TURN 10000000u         /* nsec, at least */
#define PAUSE 500000000u       /* before the first trial, and after one that changed something; */
#define PAUSE_MOST 8000000000u /* after another twice as long as before, up to this */
#define RARELY 20u             /* times as long as a trial took, at least, is none after it, */
#define SOONER 5u              /* if it has changed something */
#define LOOKS 100000000u       /* nsec in the beginning in which we look how long we wait */
#define LEAD 3                 /* pairs more that were won or lost decide a trial */
#define TURNS_MOST 15u         /* of a trial: the first one, in which processes start, and 7 pairs */
#define FASTER 1.03            /* is a pair won, */
#define MUCH 1.2               /* or won or lost twice, */
#define FAR 1.5                /* or lost for good: that costs most */
#define WAITS 0.3              /* share of the time: a further helper may bring something, */
#define WAITS_MUCH 0.7         /* or does so certainly enough not to be tried first */

void how_many_init(struct how_many *h, uint32_t most)
{
	*h = (struct how_many){ .most = most, .pause = PAUSE, .rest = PAUSE };
}

static bool is_trial(const struct how_many *h)
{
	return h->other != h->settled;
}

/* 0 1 3 7 ... */
static uint32_t more(const struct how_many *h)
{
	return h->settled > h->most / 2 ? h->most : 2 * h->settled + 1 < h->most ? 2 * h->settled + 1 : h->most;
}

static uint32_t fewer(const struct how_many *h)
{
	return h->settled ? (h->settled - 1) / 2 : 0;
}

static void begin_trial(struct how_many *h, double waits)
{
	const bool may_grow = h->settled < h->most && waits >= WAITS;

	h->up = h->settled == 0 || (!h->up && h->settled < h->most);
	if (h->up && !may_grow)
		return;
	h->other = h->up ? more(h) : fewer(h);
	h->now = h->other;
	h->turn = 0;
	h->lead = 0;
	h->spent = 0;
}

static void end_trial(struct how_many *h)
{
	const bool better = h->lead >= LEAD;
	const uint64_t least = (better ? SOONER : RARELY) * h->spent;

	h->pause = better ? PAUSE : h->pause < PAUSE_MOST ? 2 * h->pause : PAUSE_MOST;
	h->settled = better ? h->other : h->settled;
	h->other = h->now = h->settled;
	h->rest = h->pause > least ? h->pause : least;
}

/* Pairs begin with either in turn. */
static bool is_others(uint32_t turn)
{
	return turn % 4 == 2 || turn % 4 == 3;
}

static int32_t weigh(double settled, double other)
{
	if (other > FASTER * settled)
		return other > MUCH * settled ? 2 : 1;
	if (settled > FAR * other)
		return -2 * LEAD;
	return settled > MUCH * other ? -2 : -1;
}

static void note_turn(struct how_many *h)
{
	h->spent += h->took;
	if (h->turn)
		h->pair[is_others(h->turn)] = (double)h->runs / (double)h->took;
	if (h->turn && h->turn % 2 == 0)
		h->lead += weigh(h->pair[0], h->pair[1]);
	h->turn++;
	h->now = is_others(h->turn) ? h->other : h->settled;
	if (h->turn == TURNS_MOST || h->lead >= LEAD || h->lead <= -LEAD)
		end_trial(h);
}

/* In the beginning: is there nothing to do but to wait? */
static bool jumps(struct how_many *h)
{
	if (h->jumped || h->all_took >= LOOKS)
		return false;
	h->all_took += h->took;
	h->all_waited += h->waited;
	h->jumped = h->all_took >= LOOKS && (double)h->all_waited >= WAITS_MUCH * (double)h->all_took;
	return h->jumped;
}

static void note_settled(struct how_many *h)
{
	if (jumps(h)) {
		h->settled = h->other = h->now = h->most;
		h->rest = LOOKS > SOONER * h->took ? LOOKS : SOONER * h->took;
	} else if (h->rest > h->took) {
		h->rest -= h->took;
	} else {
		h->rest = 0;
		begin_trial(h, (double)h->waited / (double)h->took);
	}
}

void how_many_note(struct how_many *h, uint64_t took, uint64_t runs, uint64_t waited)
{
	h->took += took;
	h->runs += runs;
	h->waited += waited;
	if (h->took < TURN)
		return;
	if (is_trial(h))
		note_turn(h);
	else
		note_settled(h);
	h->took = h->runs = h->waited = 0;
}
