/* SPDX-License-Identifier: BSD-2-Clause */
/* Nobody can go on: which kind of dead end is it? */
#include "scheduler.h"

static struct lost {
	const void *object; /* whose signal woke nobody */
	uint64_t state;     /* as it was then */
} first_lost[VTB_LOST_ROOM], *lost = first_lost;
static uint32_t n_lost, lost_room = VTB_LOST_ROOM;

void vtb_deadlock_note_lost(const void *object, uint64_t state)
{
	uint32_t i = 0;

	while (i < n_lost && lost[i].object != object)
		i++;
	lost = vtb_limit_grow(lost, &lost_room, i, sizeof(*lost), VTB_LIMIT_LOST);
	n_lost += i == n_lost;
	lost[i].object = object;
	lost[i].state = state;
}

static bool was_lost(const void *object, uint64_t state)
{
	for (uint32_t i = 0; i < n_lost; i++)
		if (lost[i].object == object && lost[i].state == state)
			return true;
	return false;
}

/* A futex's waker changes the word first, so that nobody waits for what is past: who waits all the same, at the value
 * that the word had when it was woken, has missed it. */
static bool has_missed_it(const struct vtb_rt_thread *t)
{
	if (t->sched.signalled)
		return false;
	return t->sched.call->kind == VTB_E_COND_WAKE
	           ? was_lost(t->sched.call->obj, 0)
	           : t->sched.call->kind == VTB_E_FUTEX_WOKEN && was_lost(t->sched.call->obj, t->sched.call->aux);
}

static uint32_t waits_for(const struct vtb_rt_thread *t)
{
	const struct vtb_primitive *prim = t->base.state == VTB_T_ALIVE && t->sched.call ? t->sched.call->prim : NULL;

	return prim && prim->holder ? prim->holder(t, t->sched.call) : VTB_NO_PATH;
}

static bool in_cycle(const struct vtb_rt_thread *t)
{
	const struct vtb_rt_thread *at = t;

	for (uint32_t steps = 0; steps <= vtb_rt.n_threads; steps++) {
		const uint32_t slot = waits_for(at);

		if (slot >= vtb_rt.n_threads)
			return false;
		at = vtb_rt.threads[slot];
		if (at == t)
			return true;
	}
	return false;
}

bool vtb_deadlock_circle(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->base.state == VTB_T_ALIVE && vtb_rt.threads[i]->sched.call &&
		    in_cycle(vtb_rt.threads[i]))
			return true;
	return false;
}

_Noreturn void vtb_deadlock(void)
{
	enum vtb_verdict verdict = VTB_V_CONDITION_DEADLOCK;
	const char *message = "every thread waits, and nobody is left to wake one";
	uint64_t pc = 0;

	if (vtb_twins_lost())
		vtb_failure_end(VTB_V_TIMEOUT, 0, 0, 0,
		                "every thread waits, and one of them where memory was that is mapped elsewhere, too");
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state != VTB_T_ALIVE || !t->sched.call)
			continue;
		if (in_cycle(t)) {
			verdict = VTB_V_DEADLOCK;
			message = "threads wait for each other in a circle";
			pc = t->sched.call->pc;
			break;
		}
		if (has_missed_it(t)) {
			verdict = VTB_V_LOST_WAKEUP;
			message = "a thread waits for a signal that was sent while nobody waited";
			pc = t->sched.call->pc;
		}
	}
	vtb_failure_end(verdict, 0, pc, 0, message);
}
