/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is mapped twice. Who waits is found by the address of what it waits for, so a signal at the other address
 * of a condition variable would wake nobody, and a run would end in a deadlock that the program does not have.
 */
#include "scheduler.h"

#define TWINS 64u

static struct twin {
	uint64_t lo, hi, first;
} twins[TWINS] VTB_HISTORY_RARE;
static uint32_t n_twins VTB_HISTORY_RARE;
static bool lost VTB_HISTORY_RARE;
bool vtb_has_twins VTB_HISTORY_RARE;

uint64_t vtb_first_address(uint64_t at)
{
	for (uint32_t i = 0; i < n_twins; i++)
		if (at >= twins[i].lo && at < twins[i].hi)
			return twins[i].first + (at - twins[i].lo);
	return at;
}

void vtb_twins_note(uint64_t lo, uint64_t hi, uint64_t first)
{
	if (vtb_first_address(lo) != lo) /* there may be more than two */
		return;
	if (n_twins == TWINS) {
		lost = true;
		return;
	}
	twins[n_twins++] = (struct twin){ lo, hi, vtb_first_address(first) };
	vtb_has_twins = true;
}

static bool is_in(uint64_t at, const struct twin *t)
{
	return at >= t->first && at < t->first + (t->hi - t->lo);
}

static bool somebody_waits(const struct twin *t)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *w = vtb_rt.threads[i];

		if (w->base.state == VTB_T_ALIVE && w->sched.call &&
		    (is_in((uint64_t)w->sched.call->obj, t) || is_in(w->sched.call->arg, t)))
			return true;
	}
	return false;
}

/* The first address of `old` is no more: those who are left are known by that of `old`. */
static void found_anew(const struct twin *old)
{
	lost |= somebody_waits(old);
	for (uint32_t i = 0; i < n_twins; i++) {
		if (twins[i].first == old->first && twins[i].hi - twins[i].lo == old->hi - old->lo)
			twins[i].first = old->lo;
		else
			lost |= is_in(twins[i].first, old);
	}
}

void vtb_twins_gone(uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i < n_twins;) {
		const struct twin it = twins[i];
		const bool twin_goes = lo < it.hi && it.lo < hi;

		if (!twin_goes && !(lo < it.first + (it.hi - it.lo) && it.first < hi)) {
			i++;
			continue;
		}
		twins[i] = twins[--n_twins];
		if (!twin_goes)
			found_anew(&it);
	}
	vtb_has_twins = n_twins > 0;
}

bool vtb_twins_lost(void)
{
	return lost;
}
