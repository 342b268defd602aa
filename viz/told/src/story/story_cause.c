/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The story of a failure whose cause is known: the operations of its orders. */
#include <string.h>

#include "story_picks.h"
#include "vtb/classify.h"

static bool is_picked(const struct teller *t, size_t at)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->picks[i].step.at == at)
			return true;
	return false;
}

/* After which access a thread was stopped, and what happens by chance, is part of the schedule. */
static bool is_of_schedule(const struct teller *t, const struct pick *p)
{
	return p->step.at < t->x->n_events &&
	       (p->step.event.flags & VTB_EVF_DEVIATED ||
	        (p->weight == NEED_SWITCH && p->step.preempted && vtb_classify_is_data(&p->step.event)));
}

static void drop_below(struct teller *t, enum weight weight)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->picks[i].weight >= weight || is_of_schedule(t, &t->picks[i]))
			t->picks[n++] = t->picks[i];
	t->n = n;
}

/* Its number in its thread says which operation it is; what had still to come is pending, if its thread was at it. */
static void pick_op(struct teller *t, const struct vtb_cause_op *op)
{
	uint32_t thread = 0, n = 0;

	while (thread < t->tab->n_threads && strcmp(vtb_thread_path(t->tab, thread), op->thread) != 0)
		thread++;
	for (size_t i = 0; op->op && i < t->x->n_events; i++)
		if (t->x->events[i].thread == thread && vtb_event_is_operation(&t->x->events[i]) && ++n == op->op) {
			story_pick(t, i, VTB_STEP_FIRST, NEED_PATTERN);
			return;
		}
	for (size_t i = 0; !op->op && i < t->x->n_pending; i++)
		if (t->x->pending[i].thread == thread && !is_picked(t, t->x->n_events + i) &&
		    !strcmp(vtb_event_info(t->x->pending[i].kind)->name, op->kind))
			story_pick_pending(t, i, NEED_PATTERN);
}

/* What became of threads that wait, and of memory, is told besides. */
void story_tell_cause(struct teller *t, const struct vtb_cause *cause, struct vtb_story *story)
{
	const enum vtb_verdict verdict = t->x->outcome.verdict;
	const bool besides = story_is_deadlock(verdict) || verdict == VTB_V_MISUSE || verdict == VTB_V_MEMORY;

	drop_below(t, besides ? NEED_PATTERN : NEED_FAILURE);
	for (size_t i = 0; i < cause->n_orders; i++) {
		pick_op(t, &cause->orders[i].before);
		pick_op(t, &cause->orders[i].after);
	}
	if (!story_is_deadlock(verdict))
		story_pick_failure(t, NEED_SWITCH);
	for (size_t i = 0; i < t->x->n_events; i++)
		story->folded += vtb_event_is_operation(&t->x->events[i]);
}

void story_carry_preemptions(struct teller *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const size_t from = t->picks[i].step.at, to = i + 1 < t->n ? t->picks[i + 1].step.at : t->x->n_events;

		for (size_t k = from + 1; k <= to && k < t->x->n_events; k++)
			if (vtb_exec_preempts(t->x, k) && t->x->events[k - 1].thread == t->picks[i].step.event.thread)
				t->picks[i].step.preempted = true;
	}
}
