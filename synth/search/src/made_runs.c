/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made_runs.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/wire.h"

void vtb_made_runs_fini(struct vtb_made_runs *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		vtb_exec_fini(&k->runs[i]);
	free(k->threads);
	*k = (struct vtb_made_runs){ 0 };
}

/* Is the next choice always a function of who can go on, and of what was done? What time or chance does is more than
 * that, and constraints change who can go on. */
static bool is_rule(const struct vtb_schedule *s)
{
	for (size_t i = 0; i < s->n_deviations; i++)
		if (s->deviations[i].kind != VTB_DEV_SWITCH && s->deviations[i].kind != VTB_DEV_DEMOTE)
			return false;
	return (s->policy == VTB_SCHEDULE_RUN_TO_BLOCK || s->policy == VTB_SCHEDULE_PRIORITY) && !s->n_constraints &&
	       !s->wakes_all;
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

	k->told++;
	if (k->n == VTB_MADE_RUNS || x->n_events > VTB_MADE_EVENTS - k->events || !is_rule(s) ||
	    !is_whole(x, k->real_time))
		return 0;
	if (vtb_array_extend(k, threads, 64ull * x->stride, (struct vtb_made_thread){ 0 }) < 0)
		return -ENOMEM;
	r = vtb_exec_copy(x, &k->runs[k->n]);
	if (r < 0)
		return r;
	k->by_main[k->n++] = created_by_main(x);
	k->events += x->n_events;
	return 0;
}

/* ---- along a run, as the schedule would have it */

struct follow {
	struct vtb_made_thread *threads;
	const struct vtb_schedule *s;
	const struct vtb_exec *x;
	bool by_main;
	size_t deviation;   /* the next one */
	uint32_t demotions; /* so far */
};

static uint32_t place_of(const struct vtb_schedule *s, uint32_t entry)
{
	for (size_t i = 0; i < s->n_ranks; i++)
		if (s->ranks[i] == entry)
			return (uint32_t)i;
	return VTB_NONE;
}

static void begin(struct follow *f)
{
	for (uint32_t t = 0; t < 64 * f->x->stride; t++)
		f->threads[t] = (struct vtb_made_thread){ .place = VTB_MADE_UNLISTED };
	for (size_t i = 0; i < f->s->n_ranks; i++) {
		const uint32_t t = f->s->ranks[i]; /* or a fragment: too large */

		if (t < 64 * f->x->stride && f->threads[t].place == VTB_MADE_UNLISTED)
			f->threads[t].place = i;
	}
}

static void demote(struct follow *f, uint32_t thread)
{
	const uint32_t n = f->demotions++, place = place_of(f->s, n | VTB_RANK_FRAGMENT_BIT);

	f->threads[thread].place = place == VTB_NONE ? VTB_MADE_UNLISTED + 1 + n : place;
}

/* The deviations at the point behind event i, as they are listed. One that is not the next of the list does not count,
 * and then not all will have. Sets whose turn it is by a switch, or VTB_NONE. False: cannot tell. */
static bool deviate(struct follow *f, size_t i, uint32_t *ret_target)
{
	const uint32_t thread = f->x->events[i].thread;
	const struct vtb_deviation *d = f->s->deviations + f->deviation;

	*ret_target = VTB_NONE;
	f->threads[thread].done++;
	for (; f->deviation < f->s->n_deviations && d->after.thread == thread &&
	       d->after.index == f->threads[thread].done;
	     d++, f->deviation++) {
		if (*ret_target != VTB_NONE)
			return false;
		if (d->kind == VTB_DEV_DEMOTE)
			demote(f, thread);
		else
			*ret_target = d->target;
	}
	return true;
}

static bool goes_before(const struct follow *f, uint32_t a, uint32_t b)
{
	if (f->threads[a].place != f->threads[b].place)
		return f->threads[a].place < f->threads[b].place;
	return f->by_main && a < b; /* threads without a rank go on in order of creation */
}

static bool is_best(const struct follow *f, size_t i, uint32_t thread)
{
	for (uint32_t word = 0; word < f->x->stride; word++)
		for (uint64_t bits = f->x->enabled[i * f->x->stride + word]; bits; bits &= bits - 1) {
			const uint32_t t = word * 64 + (uint32_t)__builtin_ctzll(bits);

			if (t != thread && !goes_before(f, thread, t))
				return false;
		}
	return vtb_exec_enabled(f->x, i, thread);
}

/* Would the schedule have the thread of event i go on there? */
static bool agrees(struct follow *f, size_t i)
{
	const uint32_t thread = f->x->events[i].thread;
	uint32_t target = VTB_NONE;

	if (i > 0 && !deviate(f, i - 1, &target))
		return false;
	if (target != VTB_NONE)
		return target == thread && vtb_exec_enabled(f->x, i, thread);
	if (f->s->policy == VTB_SCHEDULE_RUN_TO_BLOCK && i > 0 && vtb_exec_enabled(f->x, i, f->x->events[i - 1].thread))
		return f->x->events[i - 1].thread == thread;
	return is_best(f, i, thread);
}

static bool leads_to(struct follow *f)
{
	begin(f);
	for (size_t i = 0; i < f->x->n_events; i++)
		if (!agrees(f, i))
			return false;
	return f->deviation == f->s->n_deviations; /* each has found its place */
}

const struct vtb_exec *vtb_made_runs_find(struct vtb_made_runs *k, const struct vtb_schedule *s)
{
	if (!is_rule(s) || (s->n_deviations && (k->orders_only || k->told > VTB_MADE_LOOKS)))
		return NULL;
	for (uint32_t i = 0; i < k->n; i++) {
		struct follow f = { .threads = k->threads, .s = s, .x = &k->runs[i], .by_main = k->by_main[i] };

		if (leads_to(&f))
			return &k->runs[i];
	}
	return NULL;
}
