/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random: a uniform choice among the enabled threads at every point. Every schedule has its own seed, so each is replayable. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rng.h"
#include "vtb/strategy.h"

struct walk {
	const struct vtb_space *space;
	uint64_t proposed;
};

static int walk_begin(const struct vtb_space *space, void **ret_state)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->space = space;
	*ret_state = w;
	return 0;
}

static int64_t walk_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct walk *w = state;

	for (size_t i = 0; i < max; i++) {
		plans[i].schedule.policy = VTB_SCHEDULE_RANDOM;
		plans[i].schedule.seed = vtb_mix64(w->space->opts->seed * 0x9e3779b97f4a7c15ull + ++w->proposed);
	}
	return (int64_t)max;
}

static int walk_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	(void)state;
	(void)ticket;
	(void)x;
	(void)new_class;
	return 0;
}

static void walk_claim(const void *state, struct vtb_claim *ret)
{
	const struct walk *w = state;

	*ret = (struct vtb_claim){ 0 };
	snprintf(ret->text, sizeof(ret->text), "%llu random schedules (seed %llu), without a bound on what they missed",
		 (unsigned long long)w->proposed, (unsigned long long)w->space->opts->seed);
}

const struct vtb_strategy vtb_strategy_random = {
	.name = "random",
	.help = "a uniform choice among the enabled threads at every point",
	.begin = walk_begin,
	.next = walk_next,
	.feedback = walk_feedback,
	.claim = walk_claim,
	.end = free,
};
