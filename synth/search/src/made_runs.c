/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made_runs.h"

#include <errno.h>

#include "vtb/wire.h"

void vtb_made_runs_fini(struct vtb_made_runs *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		vtb_exec_fini(&k->runs[i]);
	*k = (struct vtb_made_runs){ 0 };
}

/* Is the next choice always a function of who can go on? */
static bool is_rule(const struct vtb_schedule *s)
{
	return (s->policy == VTB_SCHEDULE_RUN_TO_BLOCK || s->policy == VTB_SCHEDULE_PRIORITY) && !s->n_deviations &&
	       !s->n_constraints;
}

static bool is_whole(const struct vtb_exec *x, bool real_time)
{
	const uint32_t harmless = VTB_OUT_MORE_THREADS | (real_time ? 0 : VTB_OUT_TIMED);

	if (x->partial || x->owned || x->outcome.verdict != VTB_V_NONE || x->outcome.flags & ~harmless ||
	    !x->n_events || x->n_enabled < x->n_events * x->stride)
		return false;
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_LOST || x->events[i].kind == VTB_E_FAIL)
			return false;
	return true;
}

static bool created_by_main(const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_THREAD_CREATE && x->events[i].thread != 0)
			return false;
	return true;
}

int vtb_made_runs_add(struct vtb_made_runs *k, const struct vtb_schedule *s, const struct vtb_exec *x)
{
	int r;

	if (k->n == VTB_MADE_RUNS || x->n_events > VTB_MADE_EVENTS - k->events || !is_rule(s) ||
	    !is_whole(x, k->real_time))
		return 0;
	r = vtb_exec_copy(x, &k->runs[k->n]);
	if (r < 0)
		return r;
	k->by_main[k->n++] = created_by_main(x);
	k->events += x->n_events;
	return 0;
}

static bool is_only_one(const struct vtb_exec *x, size_t i)
{
	uint32_t n = 0;

	for (uint32_t word = 0; word < x->stride; word++)
		n += (uint32_t)__builtin_popcountll(x->enabled[i * x->stride + word]);
	return n == 1;
}

static uint32_t first_of(const struct vtb_exec *x, size_t i)
{
	for (uint32_t word = 0; word < x->stride; word++)
		if (x->enabled[i * x->stride + word])
			return word * 64 + (uint32_t)__builtin_ctzll(x->enabled[i * x->stride + word]);
	return VTB_NONE;
}

/* Whom the rule lets do event i; VTB_NONE: cannot tell. */
static uint32_t choice(const struct vtb_exec *x, size_t i, const struct vtb_schedule *s, bool by_main)
{
	if (s->policy == VTB_SCHEDULE_RUN_TO_BLOCK && i > 0 && vtb_exec_enabled(x, i, x->events[i - 1].thread))
		return x->events[i - 1].thread;
	for (size_t k = 0; k < s->n_ranks; k++)
		if (!(s->ranks[k] & VTB_RANK_FRAGMENT_BIT) && vtb_exec_enabled(x, i, s->ranks[k]))
			return s->ranks[k];
	return by_main || is_only_one(x, i) ? first_of(x, i)
	                                    : VTB_NONE; /* threads without a rank go on in order of creation */
}

static bool leads_to(const struct vtb_schedule *s, const struct vtb_exec *x, bool by_main)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (choice(x, i, s, by_main) != x->events[i].thread)
			return false;
	return true;
}

const struct vtb_exec *vtb_made_runs_find(const struct vtb_made_runs *k, const struct vtb_schedule *s)
{
	for (uint32_t i = 0; is_rule(s) && i < k->n; i++)
		if (leads_to(s, &k->runs[i], k->by_main[i]))
			return &k->runs[i];
	return NULL;
}
