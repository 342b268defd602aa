/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread was stopped, for whoever reads of it. */
#include "story_picks.h"
#include "vtb/classify.h"

/* Does nobody else touch it, nor a handler of the thread's? */
static bool is_own(const struct vtb_exec *x, size_t at)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread != x->events[at].thread ? vtb_event_overlap(&x->events[i], &x->events[at])
		                                                : x->events[i].kind == VTB_E_SIGNAL_HANDLE)
			return false;
	return vtb_classify_is_data(&x->events[at]);
}

#define OWN_MOST 64u /* accesses */

/* Where a thread is stopped at event `at`: what no other thread touches says nothing to a reader, so it is told at what
 * the thread did last before that, if that is something else. */
static size_t stopped_at(const struct vtb_exec *x, size_t at)
{
	size_t last = at;

	for (size_t n = 0; n < OWN_MOST && is_own(x, last); n++) {
		if (!last || x->events[last - 1].thread != x->events[at].thread)
			return at;
		last--;
	}
	return is_own(x, last) ? at : last;
}

void story_pick_stop(struct teller *t, size_t at)
{
	const size_t last = stopped_at(t->x, at);

	story_pick(t, last, VTB_STEP_CONTEXT, NEED_SWITCH);
	for (size_t i = 0; i < t->n; i++)
		t->picks[i].step.preempted |= t->picks[i].step.at == last;
}

/* Has nobody else done anything between two events of one thread? */
static bool goes_on(const struct vtb_exec *x, size_t from, size_t to)
{
	for (size_t i = from; i <= to && i < x->n_events; i++)
		if (x->events[i].thread != x->events[from].thread)
			return false;
	return to < x->n_events;
}

/* What nobody else touches may be shown all the same, for another reason: then it is there that the thread stops. */
void story_settle_stops(struct teller *t)
{
	for (size_t i = 0; i + 1 < t->n; i++) {
		struct vtb_step *step = &t->picks[i].step, *next = &t->picks[i + 1].step;

		if (!step->preempted || !goes_on(t->x, step->at, next->at))
			continue;
		step->preempted = false;
		next->preempted = true;
	}
}
