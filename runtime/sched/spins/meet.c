/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that all go round in loops, of which some change for a moment what others wait for:
 *
 *     0.0   f = 1; while (g) { f = 0; f = 1; }          0.1   g = 1; while (f) { g = 0; g = 1; }
 *
 * They come further if 0.1 looks between f = 0 and f = 1, and the policy may never let it: it prefers one of them, or
 * they go round one after the other. Before that is called a livelock the others get their turns: half of the rounds
 * are as the policy has it; in the other half who has let another one go on waits for it; then, at every point, a coin
 * says whether the thread gives way. Who gives way waits until somebody changes something or nobody else can go on:
 * that is no preemption. All threads have been here before, in these states, so nothing new is left out by that.
 */
#include "meet.h"

#include "base.h"
#include "scheduler.h"

#define TOSSED 400u  /* times that all spin, with the coin, before it is called a livelock */
#define TOSSES 4096u /* after each of them: then they have gone on to something else */

void vtb_fair_let_go(struct vtb_rt_thread *t)
{
	vtb_sched.held -= t->sched.spinning;
	t->sched.spinning = t->sched.gives_way = t->sched.stuck = t->sched.for_words = false;
	t->sched.exact = NULL;
}

void vtb_fair_hold_back(struct vtb_rt_thread *t)
{
	vtb_sched.held += !t->sched.spinning;
	vtb_sched.calm = false;
	vtb_sched.favoured = vtb_sched.favoured == t ? NULL : vtb_sched.favoured;
	t->sched.spinning = true;
	t->sched.exact = NULL;
	t->sched.for_words = false;
	t->sched.spin_epoch = vtb_sched.epoch + vtb_sched.times;
	t->sched.spin_times = vtb_sched.times;
	t->base.spins = t->base.own_spins = 0;
}

/* Where nobody's round changes anything there is nothing that chance could bring. */
static bool tosses(void)
{
	return vtb_sched.spin_rounds > VTB_SPIN_ROUNDS && !vtb_sched.spin_turn && vtb_sched.tosses < TOSSES;
}

static struct vtb_rt_thread *somebody_released(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->sched.spinning && vtb_rt.threads[i]->sched.enabled)
			return vtb_rt.threads[i];
	return NULL;
}

static void give_way(struct vtb_rt_thread *t)
{
	vtb_fair_hold_back(t);
	t->sched.gives_way = true;
}

static bool coin(void)
{
	vtb_sched.tosses++;
	vtb_sched.coin = vtb_sched.coin * VTB_SEEN_FACTOR + 1;
	return vtb_sched.coin >> 63;
}

void vtb_meet(struct vtb_rt_thread *t, bool released, bool others)
{
	if (vtb_sched.spin_rounds <= VTB_SPIN_ROUNDS / 2 || t->sched.spinning || vtb_sched.survey.on)
		return;
	if (tosses()) {
		if (others && coin())
			give_way(t);
	} else if (released && vtb_sched.favoured != t) {
		vtb_sched.favoured = somebody_released();
		give_way(t);
	}
}

/* It could go on, so it does before time passes, and before those try again who only spin. */
bool vtb_meet_turn_back(void)
{
	bool any = false;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state != VTB_T_ALIVE || !t->sched.gives_way)
			continue;
		vtb_fair_let_go(t);
		vtb_sched.unblocks = 0;
		any = true;
	}
	return any;
}

bool vtb_meet_chance(void)
{
	const bool first = vtb_sched.spin_rounds == VTB_SPIN_ROUNDS, tossed = vtb_sched.tosses;

	vtb_sched.tosses = 0;
	return !vtb_sched.spin_turn && (first || tossed) && vtb_sched.spin_rounds <= VTB_SPIN_ROUNDS + TOSSED;
}
