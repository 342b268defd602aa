/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pos_walk.h
 * pos (vtb/walk.h) by who is told what has changed since the last choice: the same walk by the same random numbers,
 * among many threads. What a choice looks at of each walker stands side by side, and who is to be looked at is a bit.
 *
 *   draws   each word of bits has a batch: who drew in it, and the generator's state before. A priority is worked out
 *           when its walker is enabled; most that wait for a lock draw anew before they are.
 *   places  walkers by the granule of 8 bytes that they touch, by a hash: who races with the chosen one is in its
 *           place, or touches more than one granule. Of a place's walkers most touch the same bytes, its *key*: these
 *           are looked at together.
 *
 * Ownership: the caller's words, all zeros. Cost: O(walkers) a choice, less than 1 ns each.
 */
#ifndef VTB_RT_POS_WALK_H
#define VTB_RT_POS_WALK_H

#include "vtb/walk.h"

#define VTB_POS_FEW 16u /* walkers: so few are looked at one by one, they have neither batches nor places */
#define VTB_POS_PLACES_LOG2 4u
#define VTB_POS_PLACES (1u << VTB_POS_PLACES_LOG2)

/** Of 64 walkers, a bit each: who drew last; of whom of these the priority is not worked out. And the generator's state
 * before they drew. */
struct vtb_pos_batch {
	uint64_t drew, open, state;
};
#define VTB_POS_BATCH (sizeof(struct vtb_pos_batch) / sizeof(uint64_t))

struct vtb_pos_place {
	uint64_t lo, hi; /* the key; it is another one's when nobody is there */
	uint64_t n;
};

struct vtb_pos_walk {
	uint64_t *lo, *hi;                         /* by walker, the priorities behind them */
	uint64_t *alive, *enabled, *writes, *draw; /* a bit each; draw: a priority anew before the next choice */
	struct vtb_pos_place *places;              /* NULL: few walkers, without all that follows */
	                                           /* batches    of each word of bits
	                                            * wide       a bit each: it touches more than one granule
	                                            * same       likewise, by place: who touches the key
	                                            * others     likewise, by place: who touches something else there */
};

static inline size_t vtb_pos_bits(uint32_t n)
{
	return ((size_t)n + 63) / 64;
}

/** Words for n walkers. */
static inline size_t vtb_pos_words(uint32_t n)
{
	const size_t bits = vtb_pos_bits(n);

	return 3 * (size_t)n + 4 * bits +
	       (n > VTB_POS_FEW ? 3 * VTB_POS_PLACES + (VTB_POS_BATCH + 1 + 2 * VTB_POS_PLACES) * bits : 0);
}

static inline void vtb_pos_place(struct vtb_pos_walk *p, uint64_t *words, uint32_t n)
{
	const size_t bits = vtb_pos_bits(n);

	p->lo = words;
	p->hi = p->lo + n;
	p->alive = p->hi + 2 * (size_t)n;
	p->enabled = p->alive + bits;
	p->writes = p->enabled + bits;
	p->draw = p->writes + bits;
	p->places = n > VTB_POS_FEW ? (struct vtb_pos_place *)(p->draw + bits) : NULL;
}

static inline uint64_t *vtb_pos_priority(const struct vtb_pos_walk *p)
{
	return p->hi + (p->hi - p->lo);
}

/* Words of a bit each. */
static inline size_t vtb_pos_row(const struct vtb_pos_walk *p)
{
	return (size_t)(p->enabled - p->alive);
}

static inline struct vtb_pos_batch *vtb_pos_batches(const struct vtb_pos_walk *p)
{
	return (struct vtb_pos_batch *)(p->places + VTB_POS_PLACES);
}

static inline uint64_t *vtb_pos_wide(const struct vtb_pos_walk *p)
{
	return (uint64_t *)(vtb_pos_batches(p) + vtb_pos_row(p));
}

static inline uint64_t *vtb_pos_same(const struct vtb_pos_walk *p, uint32_t place)
{
	return vtb_pos_wide(p) + (1 + place) * vtb_pos_row(p);
}

static inline uint64_t *vtb_pos_others(const struct vtb_pos_walk *p, uint32_t place)
{
	return vtb_pos_same(p, place + VTB_POS_PLACES);
}

static inline void vtb_pos_put(uint64_t *bits, uint32_t i, bool on)
{
	bits[i / 64] = (bits[i / 64] & ~(1ull << i % 64)) | (uint64_t)on << i % 64;
}

static inline bool vtb_pos_get(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* ---- places */

static inline bool vtb_pos_is_wide(uint64_t lo, uint64_t hi)
{
	return hi <= lo || lo / 8 != (hi - 1) / 8;
}

static inline uint32_t vtb_pos_place_of(uint64_t lo)
{
	return (uint32_t)(lo / 8 * VTB_WALK_STEP >> (64 - VTB_POS_PLACES_LOG2));
}

static inline void vtb_pos_leave(struct vtb_pos_walk *p, uint32_t i)
{
	const uint32_t at = vtb_pos_place_of(p->lo[i]);
	uint64_t *same = vtb_pos_same(p, at);

	vtb_pos_put(vtb_pos_wide(p), i, false);
	p->places[at].n -= vtb_pos_get(same, i);
	vtb_pos_put(same, i, false);
	vtb_pos_put(vtb_pos_others(p, at), i, false);
}

static inline void vtb_pos_enter(struct vtb_pos_walk *p, uint32_t i)
{
	const uint64_t lo = p->lo[i], hi = p->hi[i];
	const uint32_t at = vtb_pos_place_of(lo);
	struct vtb_pos_place *place = &p->places[at];

	if (vtb_pos_is_wide(lo, hi)) {
		vtb_pos_put(vtb_pos_wide(p), i, true);
		return;
	}
	if (!place->n) {
		place->lo = lo;
		place->hi = hi;
	}
	if (place->lo == lo && place->hi == hi) {
		place->n++;
		vtb_pos_put(vtb_pos_same(p, at), i, true);
	} else {
		vtb_pos_put(vtb_pos_others(p, at), i, true);
	}
}

/** What is known of the first n walkers, in a place with room for at least as many. */
static inline void vtb_pos_copy(struct vtb_pos_walk *to, const struct vtb_pos_walk *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		to->lo[i] = from->lo[i];
		to->hi[i] = from->hi[i];
		vtb_pos_priority(to)[i] = vtb_pos_priority(from)[i];
		if (to->places)
			vtb_pos_enter(to, i);
	}
	for (uint32_t k = 0; k < vtb_pos_bits(n); k++) {
		to->alive[k] = from->alive[k];
		to->enabled[k] = from->enabled[k];
		to->writes[k] = from->writes[k];
		to->draw[k] = from->draw[k];
		if (from->places)
			vtb_pos_batches(to)[k] = vtb_pos_batches(from)[k];
	}
}

/** Whether walker i is alive and enabled may have changed; `moved`: it is at another operation, too. */
static inline void vtb_pos_look_at(struct vtb_pos_walk *p, uint32_t i, const struct vtb_walker *w, bool moved)
{
	vtb_pos_put(p->alive, i, w->alive);
	vtb_pos_put(p->enabled, i, w->alive && w->enabled);
	if (!moved)
		return;
	if (p->places)
		vtb_pos_leave(p, i);
	p->lo[i] = w->lo;
	p->hi[i] = w->hi;
	if (p->places)
		vtb_pos_enter(p, i);
	vtb_pos_put(p->writes, i, w->writes);
	vtb_pos_put(p->draw, i, true);
}

/* ---- priorities */

/* Where a processor may have no instruction for it, the compiler calls a function. */
static inline uint64_t vtb_pos_count(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555ull;
	bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
	return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull >> 56;
}

/* Those of word k that are `wanted`, all of them open. */
static inline void vtb_pos_work_out(struct vtb_pos_walk *p, uint32_t k, uint64_t wanted)
{
	struct vtb_pos_batch *b = &vtb_pos_batches(p)[k];
	uint64_t state = b->state;

	b->open &= ~wanted;
	for (uint64_t bits = b->drew; wanted; bits &= bits - 1) {
		const uint32_t at = (uint32_t)__builtin_ctzll(bits);

		state += VTB_WALK_STEP;
		if (!(wanted >> at & 1))
			continue;
		vtb_pos_priority(p)[64 * k + at] = vtb_walk_drawn(state);
		wanted &= ~(1ull << at);
	}
}

static inline void vtb_pos_draw(struct vtb_pos_walk *p, uint32_t k, uint64_t *random)
{
	const uint64_t bits = p->draw[k] & p->alive[k];
	struct vtb_pos_batch *b = &vtb_pos_batches(p)[k];

	if (!bits)
		return;
	if (b->open & ~bits)
		vtb_pos_work_out(p, k, b->open & ~bits);
	b->drew = b->open = bits;
	b->state = *random;
	*random += vtb_pos_count(bits) * VTB_WALK_STEP;
	p->draw[k] &= ~bits;
}

/* The best of `bits`, which are not none, of word k. */
static inline uint32_t vtb_pos_best(const struct vtb_pos_walk *p, uint32_t k, uint64_t bits)
{
	const uint64_t *priority = vtb_pos_priority(p) + 64 * k;
	uint32_t best = (uint32_t)__builtin_ctzll(bits);
	uint64_t highest = priority[best];

	for (bits &= bits - 1; bits; bits &= bits - 1) {
		const uint32_t i = (uint32_t)__builtin_ctzll(bits);
		const uint64_t other = priority[i];

		best = other > highest ? i : best;
		highest = other > highest ? other : highest;
	}
	return 64 * k + best;
}

static inline uint32_t vtb_pos_better(const struct vtb_pos_walk *p, uint32_t a, uint32_t b)
{
	return a == VTB_WALK_NOBODY || vtb_pos_priority(p)[b] > vtb_pos_priority(p)[a] ? b : a;
}

static inline uint32_t vtb_pos_best_of_word(struct vtb_pos_walk *p, uint32_t k, uint32_t best)
{
	const uint64_t enabled = p->enabled[k], open = enabled & vtb_pos_batches(p)[k].open;

	if (open)
		vtb_pos_work_out(p, k, open);
	return enabled ? vtb_pos_better(p, best, vtb_pos_best(p, k, enabled)) : best;
}

/* ---- races */

static inline uint64_t vtb_pos_races(const struct vtb_pos_walk *p, uint32_t k, uint64_t others, uint64_t lo,
                                     uint64_t hi)
{
	uint64_t races = 0;

	for (; others; others &= others - 1) {
		const uint32_t at = (uint32_t)__builtin_ctzll(others), i = 64 * k + at;

		races |= (uint64_t)((p->lo[i] < hi) & (lo < p->hi[i])) << at;
	}
	return races;
}

/* Who of word k could race with the best, for what it does. */
static inline uint64_t vtb_pos_minds(const struct vtb_pos_walk *p, uint32_t k, uint32_t best)
{
	const uint64_t others = p->alive[k] & (vtb_pos_get(p->writes, best) ? ~0ull : p->writes[k]);

	return others & (best / 64 == k ? ~(1ull << best % 64) : ~0ull);
}

static inline void vtb_pos_race(struct vtb_pos_walk *p, uint32_t words, uint32_t best)
{
	const uint64_t lo = p->lo[best], hi = p->hi[best];
	const uint32_t at = vtb_pos_place_of(lo);
	const uint64_t *others = vtb_pos_others(p, at), *same = vtb_pos_same(p, at), *wides = vtb_pos_wide(p),
	               key = p->places[at].lo < hi && lo < p->places[at].hi ? ~0ull : 0,
	               wide = vtb_pos_is_wide(lo, hi) ? ~0ull : 0;

	for (uint32_t k = 0; k < words; k++) {
		const uint64_t minds = vtb_pos_minds(p, k, best);

		p->draw[k] |= minds & same[k] & key & ~wide;
		p->draw[k] |= vtb_pos_races(p, k, minds & (others[k] | wides[k] | wide), lo, hi);
	}
}

/* ---- choices */

static inline uint32_t vtb_pos_walk_of_many(struct vtb_pos_walk *p, uint32_t n, uint64_t *random)
{
	const uint32_t words = (uint32_t)vtb_pos_bits(n);
	uint32_t best = VTB_WALK_NOBODY;

	for (uint32_t k = 0; k < words; k++) {
		vtb_pos_draw(p, k, random);
		best = vtb_pos_best_of_word(p, k, best);
	}
	if (best != VTB_WALK_NOBODY)
		vtb_pos_race(p, words, best);
	return best;
}

static inline uint32_t vtb_pos_walk_of_few(struct vtb_pos_walk *p, uint64_t *random)
{
	const uint64_t alive = p->alive[0];
	uint32_t best;

	for (uint64_t bits = p->draw[0] & alive; bits; bits &= bits - 1)
		vtb_pos_priority(p)[__builtin_ctzll(bits)] = vtb_walk_random(random);
	p->draw[0] &= ~alive;
	if (!p->enabled[0])
		return VTB_WALK_NOBODY;
	best = vtb_pos_best(p, 0, p->enabled[0]);
	p->draw[0] |= vtb_pos_races(p, 0, vtb_pos_minds(p, 0, best), p->lo[best], p->hi[best]);
	return best;
}

/** As vtb_walk_pos(), of walkers 0 .. n-1. */
static inline uint32_t vtb_pos_walk(struct vtb_pos_walk *p, uint32_t n, uint64_t *random)
{
	return p->places ? vtb_pos_walk_of_many(p, n, random) : vtb_pos_walk_of_few(p, random);
}

#endif /* VTB_RT_POS_WALK_H */
