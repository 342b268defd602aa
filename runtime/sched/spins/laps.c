/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads that take turns in letting each other go on are never held back both at once:
 *
 *     0.0   f = 1; while (g) { f = 0; f = 1; }      0.1   g = 1; while (f) { g = 0; g = 1; }      0.2   g = 0;
 *
 * 0.0 goes round and waits; 0.1 goes round, so 0.0 may go on, and so for ever, though 0.2 could end it and is never
 * asked. Seen here by the state of all threads and of all that they touch, where a thread is held back: as before means
 * that the policy goes the same way again (Brent's cycle detection). Then every way is tried (survey.c).
 *
 * Watched from FIRST hold-backs on, until none comes for a while: while it is, there are no stretches.
 */
#include "laps.h"

#include "round.h"
#include "scheduler.h"

#define FIRST 12u
#define LIMIT_FIRST 4u
#define QUIET 4096u /* points without any: they do something else now */

static struct vtb_laps *const laps = &vtb_sched.laps;

/* ---- the state */

static void add_thread(struct vtb_state_hash *sum, const struct vtb_rt_thread *t)
{
	const struct vtb_sched_thread *s = &t->sched;
	const bool arrived = s->call && t->base.view.call == s->call;
	const uint64_t now = vtb_sched.now;
	const uint64_t words[] = { t->base.slot,
		                   t->base.state,
		                   arrived ? 0 : 1 + s->ops, /* it has not done anything since it is looked at */
		                   s->deadline > now ? s->deadline - now : 0,
		                   s->interrupted,
		                   s->call ? s->call->kind : 0 };

	vtb_state_add(sum, vtb_state_of(words, sizeof(words), VTB_STATE_K0));
	if (t->base.state == VTB_T_ALIVE && arrived)
		vtb_stance_add(sum, t, VTB_STATE_K1 + t->base.slot);
}

uint64_t vtb_laps_print(void)
{
	struct vtb_round *r = laps->all.round;
	struct vtb_state_hash sum = { 0, 0 };

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		add_thread(&sum, vtb_rt.threads[i]);
	for (uint32_t i = 0; i < r->n; i++) { /* stacks stand with their threads */
		struct vtb_round_word *w = &r->words[i];

		w->value = vtb_rt_some_stack(w->addr) ? 0 : vtb_rt_load(w->addr, (unsigned)w->size_log2);
	}
	vtb_state_add(&sum, vtb_state_of(r->words, r->n * sizeof(*r->words), VTB_STATE_K2));
	return vtb_state_finish(sum).lo;
}

/* Who is held back says how the policy goes on. */
static uint64_t print_with_turns(void)
{
	uint64_t sum = vtb_laps_print();

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_sched_thread *s = &vtb_rt.threads[i]->sched;

		sum = (sum + s->enabled + 2u * s->spinning) * VTB_SEEN_FACTOR;
	}
	return sum;
}

/* ---- comparing */

static void compare_with_this(const struct vtb_rt_thread *t, uint64_t print)
{
	laps->who = t;
	laps->print = print;
	laps->words = laps->all.round->n;
	laps->before = laps->changes;
	laps->since = 0;
}

static void begin(void)
{
	if (!laps->all.round)
		laps->all.round = vtb_rt_alloc_aside(sizeof(*laps->all.round));
	if (!laps->all.round)
		return;
	laps->on = true;
	laps->limit = LIMIT_FIRST;
	vtb_laps_lost();
}

void vtb_laps_lost(void)
{
	if (!laps->on)
		return;
	laps->all.lost = false;
	laps->all.round->n = 0;
	laps->all.round->stack_lo = laps->all.round->stack_hi = 0;
	laps->all.round->steady = false;
	laps->who = NULL;
}

void vtb_laps_stop(void)
{
	laps->on = laps->due = false;
	laps->holds = 0;
}

void vtb_laps_held(void)
{
	laps->due = true;
	laps->last = vtb_sched.points;
	laps->holds++;
}

void vtb_laps_note(const struct vtb_call *call)
{
	vtb_round_note(&laps->all, call);
}

void vtb_laps_done(const struct vtb_call *call, bool plain)
{
	laps->all.lost |= !call->idle && !plain;
}

bool vtb_laps_come_round(const struct vtb_rt_thread *t)
{
	const bool due = laps->due;
	uint64_t print;

	laps->due = false;
	if (laps->on && vtb_sched.points - laps->last > QUIET)
		vtb_laps_stop();
	if (!due || laps->holds < FIRST)
		return false;
	if (!laps->on) {
		begin();
		return false;
	}
	if (laps->all.lost)
		vtb_laps_lost();
	print = print_with_turns();
	if (laps->who == t && laps->print == print && laps->words == laps->all.round->n)
		return laps->before != laps->changes; /* else nobody changes anything, which fair.c sees */
	if (!laps->who || ++laps->since > laps->limit) {
		laps->limit *= laps->who ? 2 : 1;
		compare_with_this(t, print);
	}
	return false;
}
