/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file walk.h
 * Random walks that look at what threads are about to do. The runtime takes them on the real program, synth on
 * simulated ones: the same walk, so that its odds are tested once.
 *
 *   pos   partial-order sampling [POS18]: every pending operation has a random priority and the highest goes first;
 *         operations that race with the one just chosen draw anew.
 *   surw  selectively uniform random walk [SURW25]: a thread is meant to do the next *interesting* operation, drawn in
 *         proportion to how many of them it still has; until then everybody may do what is not interesting. With exact
 *         counts and no blocking all orders of the interesting operations are equally likely. If it cannot go on, and
 *         others go round in loops without an interesting operation, now and then anybody may do anything.
 *
 * Shape:     one struct vtb_walker a thread, in the order of their creation; the caller fills the first part before
 * each choice. Ownership: none. Cost: O(threads) a choice.
 */
#ifndef VTB_WALK_H
#define VTB_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_WALK_NOBODY UINT32_MAX
#define VTB_WALK_PATIENCE 1024u /* choices */
/* Choices: far more than a thread needs from one interesting operation to the next. */
#define VTB_WALK_LONG (1u << 16)

struct vtb_walker {
	uint64_t lo, hi; /* bytes that its next operation touches, [lo, hi) */
	bool writes;     /* or changes a synchronisation object */
	bool alive;
	bool enabled;     /* the next operation can take place now */
	bool interesting; /* surw: it is one of those whose order matters */
	uint32_t op;      /* operations it has done */

	uint64_t priority; /* pos */
	uint32_t drawn;    /* pos: `op` + 1 of the operation that the priority belongs to; 0: draw anew */
	uint32_t waited;   /* surw: choices since it was meant to go on and could not */
	uint32_t going;    /* surw: choices since it was meant to and could, and nobody came to anything interesting */
	uint64_t weight;   /* surw: interesting operations expected of it and of threads that it has yet to create */
};

#define VTB_WALK_STEP 0x9e3779b97f4a7c15ull

/** SplitMix64, as synth/search/include/vtb/rng.h: what is drawn in a state, the step taken. */
static inline uint64_t vtb_walk_drawn(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline uint64_t vtb_walk_random(uint64_t *state)
{
	return vtb_walk_drawn(*state += VTB_WALK_STEP);
}

/** Uniform in 0 .. n-1, n >= 1. */
static inline uint64_t vtb_walk_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((unsigned __int128)vtb_walk_random(state) * n >> 64);
}

static inline bool vtb_walk_races(const struct vtb_walker *a, const struct vtb_walker *b)
{
	return a->lo < b->hi && b->lo < a->hi && (a->writes || b->writes);
}

/** The enabled walker with the highest priority; VTB_WALK_NOBODY if none is enabled. */
static inline uint32_t vtb_walk_pos(struct vtb_walker *w, uint32_t n, uint64_t *random)
{
	uint32_t best = VTB_WALK_NOBODY;

	for (uint32_t i = 0; i < n; i++) {
		if (!w[i].alive)
			continue;
		if (w[i].drawn != w[i].op + 1) {
			w[i].priority = vtb_walk_random(random);
			w[i].drawn = w[i].op + 1;
		}
		if (w[i].enabled && (best == VTB_WALK_NOBODY || w[i].priority > w[best].priority))
			best = i;
	}
	for (uint32_t i = 0; best != VTB_WALK_NOBODY && i < n; i++)
		if (i != best && w[i].alive && vtb_walk_races(&w[i], &w[best]))
			w[i].drawn = 0;
	return best;
}

/* ---- surw */

/** surw: who is meant to do the next interesting operation, in proportion to the weights (of the enabled only, if
 * asked). */
static inline uint32_t vtb_walk_intend(const struct vtb_walker *w, uint32_t n, bool enabled, uint64_t *random)
{
	uint64_t sum = 0, at;

	for (uint32_t i = 0; i < n; i++)
		sum += w[i].alive && (!enabled || w[i].enabled) ? w[i].weight : 0;
	if (!sum)
		return VTB_WALK_NOBODY;
	at = vtb_walk_below(random, sum);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t weight = w[i].alive && (!enabled || w[i].enabled) ? w[i].weight : 0;

		if (at < weight)
			return i;
		at -= weight;
	}
	return VTB_WALK_NOBODY;
}

/** `child` is born: what was expected of it through `parent` is now its own; so may be the intention. */
static inline void vtb_walk_born(struct vtb_walker *w, uint32_t parent, uint32_t child, uint64_t weight,
                                 uint32_t *intended, uint64_t *random)
{
	const uint64_t of_parent = parent == VTB_WALK_NOBODY ? 0 : w[parent].weight;

	w[child].weight = weight;
	if (parent == VTB_WALK_NOBODY)
		return;
	w[parent].weight = of_parent > weight ? of_parent - weight : 0;
	if (*intended == parent && weight && vtb_walk_below(random, w[parent].weight + weight) < weight)
		*intended = child;
}

static inline bool vtb_walk_may(const struct vtb_walker *w, uint32_t i, uint32_t intended)
{
	return w[i].alive && w[i].enabled && (!w[i].interesting || i == intended);
}

/** Has one that is meant to do the next interesting operation waited for so long that what others do will not let it,
 * or gone on for so long that it goes round itself? */
static inline bool vtb_walk_tires(struct vtb_walker *w, uint32_t n, uint32_t intended)
{
	struct vtb_walker *const one = &w[intended < n ? intended : 0];
	const bool goes = intended < n && one->enabled && !one->waited;
	uint32_t *const count = goes ? &one->going : &one->waited;

	if ((*count)++ < (goes ? VTB_WALK_LONG : VTB_WALK_PATIENCE))
		return false;
	*count = 1;
	return true;
}

/** One of the enabled walkers; VTB_WALK_NOBODY if none is enabled. *intended begins as VTB_WALK_NOBODY. */
static inline uint32_t vtb_walk_surw(struct vtb_walker *w, uint32_t n, uint32_t *intended, uint64_t *random)
{
	uint32_t may = 0, enabled = 0, i = 0;
	uint64_t k;

	if (*intended >= n || !w[*intended].alive)
		*intended = vtb_walk_intend(w, n, false, random);
	for (uint32_t j = 0; j < n; j++) {
		may += vtb_walk_may(w, j, *intended);
		enabled += w[j].alive && w[j].enabled;
	}
	if (!enabled)
		return VTB_WALK_NOBODY;
	if (!may) { /* who is meant to must wait for others, who are all at interesting operations */
		*intended = vtb_walk_intend(w, n, true, random);
		for (uint32_t j = 0; j < n; j++)
			may += vtb_walk_may(w, j, *intended);
	}
	if (vtb_walk_tires(w, n, *intended))
		may = 0;
	k = vtb_walk_below(random, may ? may : enabled);
	for (;; i++) {
		if (!(may ? vtb_walk_may(w, i, *intended) : w[i].alive && w[i].enabled))
			continue;
		if (k-- == 0)
			break;
	}
	if (w[i].interesting) {
		for (uint32_t j = 0; j < n; j++)
			w[j].waited = w[j].going = 0;
		w[i].weight -= w[i].weight > 0;
		*intended = VTB_WALK_NOBODY;
	}
	return i;
}

#endif /* VTB_WALK_H */
