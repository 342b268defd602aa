/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random and pos: walks whose choices the runner makes from a seed. Every schedule has its own, so each is replayable.
 *
 *   random  a uniform choice among the enabled threads at every point
 *   pos     partial-order sampling (vtb/walk.h): closer to uniform over classes than over interleavings
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "chance_draw.h"
#include "vtb/coverage.h"
#include "vtb/rng.h"
#include "vtb/strategy.h"

#define WHOLE_EVERY 16u   /* schedules whose events are wanted */
#define WHOLE_MOST 65536u /* operations of a run */

struct walk {
	const struct vtb_space *space;
	enum vtb_policy policy;
	struct vtb_chance_draw chances;
};

static int walk_begin(const struct vtb_space *space, enum vtb_policy policy, void **ret_state)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->space = space;
	w->policy = policy;
	vtb_chance_draw_init(&w->chances, space->opts->seed);
	*ret_state = w;
	return 0;
}

static int random_begin(const struct vtb_space *space, void **ret_state)
{
	return walk_begin(space, VTB_SCHEDULE_RANDOM, ret_state);
}

static int pos_begin(const struct vtb_space *space, void **ret_state)
{
	return walk_begin(space, VTB_SCHEDULE_POS, ret_state);
}

/* Suspects are looked for in runs that are told whole: not in vain where that costs ten times as much. */
static bool is_looked_at(const struct walk *w)
{
	return w->chances.proposed % WHOLE_EVERY == 0 && w->space->coverage->points < WHOLE_MOST;
}

static int draw(void *state, struct vtb_plan *plan)
{
	struct walk *w = state;

	plan->schedule.policy = w->policy;
	plan->schedule.sparse = !is_looked_at(w); /* chances are at operations that are told */
	plan->schedule.seed = vtb_mix64(w->space->opts->seed * 0x9e3779b97f4a7c15ull + w->chances.proposed);
	return 0;
}

static int64_t walk_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct walk *w = state;

	return vtb_chance_draw_batch(&w->chances, plans, max, draw, w);
}

static int walk_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct walk *w = state;

	(void)new_class;
	return vtb_chance_draw_learn(&w->chances, ticket, x);
}

static void walk_claim(const void *state, struct vtb_claim *ret)
{
	const struct walk *w = state;

	*ret = (struct vtb_claim){ 0 };
	snprintf(ret->text, sizeof(ret->text), "%llu %s (seed %llu), without a bound on what they missed",
	         (unsigned long long)w->chances.proposed,
	         w->policy == VTB_SCHEDULE_POS ? "samples of partial orders" : "random schedules",
	         (unsigned long long)w->space->opts->seed);
	vtb_chance_draw_claim(&w->chances, ret);
}

static void walk_end(void *state)
{
	struct walk *w = state;

	vtb_chance_draw_fini(&w->chances);
	free(w);
}

const struct vtb_strategy vtb_strategy_random = {
	.name = "random",
	.help = "a uniform choice among the enabled threads at every point",
	.can = VTB_STRATEGY_BRIEF | VTB_STRATEGY_WALKS,
	.begin = random_begin,
	.next = walk_next,
	.feedback = walk_feedback,
	.claim = walk_claim,
	.end = walk_end,
};

const struct vtb_strategy vtb_strategy_pos = {
	.name = "pos",
	.help = "partial-order sampling: random priorities of operations, drawn anew after a race",
	.can = VTB_STRATEGY_BRIEF | VTB_STRATEGY_WALKS,
	.begin = pos_begin,
	.next = walk_next,
	.feedback = walk_feedback,
	.claim = walk_claim,
	.end = walk_end,
};
