/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/story.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/classify.h"
#include "story_picks.h"
#include "vtb/exec_stretch.h"

/* Of hundreds of switches the picks are full before anything else is picked: the earliest of the least needed goes.
 * NULL: all are needed as much. */
static struct pick *room(struct teller *t, enum weight weight)
{
	struct pick *least = &t->picks[0];

	if (t->n < PICKS_MAX)
		return &t->picks[t->n++];
	for (size_t i = 1; i < t->n; i++)
		if (t->picks[i].weight < least->weight ||
		    (t->picks[i].weight == least->weight && t->picks[i].step.at < least->step.at))
			least = &t->picks[i];
	return least->weight < weight ? least : NULL;
}

void story_pick(struct teller *t, size_t at, enum vtb_step_role role, enum weight weight)
{
	struct pick *pick;

	if (at >= t->x->n_events)
		return;
	for (size_t i = 0; i < t->n; i++) {
		if (t->picks[i].step.at != at)
			continue;
		if (t->picks[i].weight < weight) {
			t->picks[i].weight = weight;
			t->picks[i].step.role = role;
		}
		return;
	}
	pick = room(t, weight);
	if (!pick)
		return;
	*pick = (struct pick){
		.step = { .event = t->x->events[at],
		          .at = at,
		          .role = role,
		          .preempted = at + 1 < t->x->n_events && vtb_exec_preempts(t->x, at + 1) },
		.weight = weight,
	};
}

void story_pick_pending(struct teller *t, size_t i, enum weight weight)
{
	struct pick *pick = room(t, weight);

	if (pick)
		*pick = (struct pick){
			.step = { .event = t->x->pending[i], .at = t->x->n_events + i, .role = VTB_STEP_PENDING },
			.weight = weight
		};
}

/* Every switch that was paid for, and what it let in. */
static void pick_switches(struct teller *t)
{
	const struct vtb_exec *x = t->x;

	for (size_t i = 1; i < x->n_events; i++) {
		const size_t back = vtb_exec_preempts(x, i) ? vtb_stretch_return(x, i) : i;

		if (back == i)
			continue;
		story_pick_stop(t, i - 1);
		for (size_t j = i; j < back; j++)
			if (vtb_event_conflict(&x->events[i - 1], &x->events[j])) {
				story_pick(t, j, VTB_STEP_CONTEXT, NEED_CONTEXT);
				break;
			}
	}
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].flags & VTB_EVF_DEVIATED)
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_SWITCH);
}

#define LOOKED_BACK 64u /* accesses of the thread that fails */

static bool written_by_another(const struct vtb_exec *x, size_t at)
{
	const struct vtb_event *e = &x->events[at];

	for (size_t i = at; i-- > 0;)
		if (x->events[i].thread != e->thread && x->events[i].var == e->var &&
		    vtb_classify_is_data(&x->events[i]) && vtb_classify_writes(&x->events[i]))
			return true;
	return false;
}

/* The last thing that the thread of event `at` looked at before: of those that others have written, if there is one not
 * far back. The message of an exception is written last, and nobody else's. */
static size_t looked_at(const struct vtb_exec *x, size_t at)
{
	size_t last = VTB_EVENT_NONE, seen = 0;

	for (size_t i = at; i-- > 0 && seen < LOOKED_BACK;) {
		if (x->events[i].thread != x->events[at].thread || !vtb_classify_is_data(&x->events[i]))
			continue;
		if (x->events[i].var != VTB_NONE && written_by_another(x, i))
			return i;
		if (seen++ == 0)
			last = i;
	}
	return last;
}

static bool only_ended(const struct vtb_exec *x)
{
	return x->outcome.verdict == VTB_V_EXIT || x->outcome.verdict == VTB_V_OUTPUT;
}

void story_pick_failure(struct teller *t, enum weight last_look)
{
	const size_t at = vtb_classify_failure(t->x);
	size_t look;

	if (at == VTB_EVENT_NONE)
		return;
	if (!only_ended(t->x) || t->x->events[at].kind == VTB_E_FAIL || t->x->events[at].kind == VTB_E_PROCESS_EXIT)
		story_pick(t, at, VTB_STEP_FAILS, NEED_FAILURE);
	look = looked_at(t->x, at);
	if (!only_ended(t->x) ||
	    (look != VTB_EVENT_NONE && !vtb_classify_writes(&t->x->events[look]) && written_by_another(t->x, look)))
		story_pick(t, look, VTB_STEP_CONTEXT, last_look);
}

/* What the intruder read before it wrote: shows that it worked on the old value. */
static void pick_intruders_read(struct teller *t, size_t first, size_t intruder)
{
	for (size_t i = intruder; i-- > first + 1;)
		if (t->x->events[i].thread == t->x->events[intruder].thread && t->x->events[i].kind != VTB_E_FREE &&
		    vtb_classify_is_data(&t->x->events[i]) &&
		    vtb_event_overlap(&t->x->events[i], &t->x->events[intruder])) {
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_CONTEXT);
			return;
		}
}

/* A condition that was checked before a wait and relied on after it: show the wait. */
static void pick_wait(struct teller *t, size_t first, size_t second)
{
	for (size_t i = first + 1; i < second && i < t->x->n_events; i++)
		if (t->x->events[i].thread == t->x->events[first].thread &&
		    (t->x->events[i].kind == VTB_E_COND_WAIT || t->x->events[i].kind == VTB_E_COND_WAKE))
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_CONTEXT);
}

static void pick_triple(struct teller *t, const struct vtb_triple *triple)
{
	story_pick(t, triple->first, VTB_STEP_FIRST, NEED_PATTERN);
	if (triple->intruder != VTB_EVENT_NONE) {
		pick_intruders_read(t, triple->first, triple->intruder);
		story_pick(t, triple->intruder, VTB_STEP_INTRUDES, NEED_PATTERN);
	}
	if (triple->pattern == VTB_PATTERN_STALE_WAKE)
		pick_wait(t, triple->first, triple->second);
	if (triple->second != VTB_EVENT_NONE)
		story_pick(t, triple->second, VTB_STEP_SECOND, NEED_PATTERN);
	if (triple->pending >= 0)
		story_pick_pending(t, (size_t)triple->pending, NEED_PATTERN);
}

static void tell_cycle(struct teller *t, struct vtb_story *story)
{
	for (size_t i = 0; i < story->n_cycle; i++)
		for (size_t e = 0; e < t->x->n_events; e++)
			if (memcmp(&t->x->events[e], &story->cycle[i].taken, sizeof(struct vtb_event)) == 0 &&
			    t->x->events[e].kind != VTB_E_THREAD_BEGIN &&
			    vtb_exec_holder(t->x, story->cycle[i].wanted.var, t->x->events[e].thread) == e)
				story_pick(t, e, VTB_STEP_FIRST, NEED_PATTERN);
	story->pattern = VTB_PATTERN_LOCK_CYCLE;
	story->var = story->cycle[0].wanted.var;
}

/* Who waits at the end of a deadlock belongs to the story; if there is a circle, only those in it: the others wait for
 * them. */
static void pick_waiting(struct teller *t, const struct vtb_story *story, const struct vtb_triple *triple)
{
	for (size_t i = 0; i < t->x->n_pending; i++) {
		bool central = triple->pending == (int64_t)i;

		for (size_t c = 0; c < story->n_cycle; c++)
			central |= story->cycle[c].wanted.thread == t->x->pending[i].thread;
		if (t->x->pending[i].kind == VTB_E_THREAD_JOIN && !central && (story->n_cycle || triple->pending >= 0))
			continue; /* waits for one of those who are stuck */
		if (triple->pending != (int64_t)i && (central || !story->n_cycle))
			story_pick_pending(t, i, central ? NEED_FAILURE : NEED_LITTLE);
	}
}

static void tell_deadlock(struct teller *t, struct vtb_story *story, struct vtb_triple *triple)
{
	story->n_cycle = vtb_classify_cycle(t->x, t->tab, story->cycle, VTB_CYCLE_MAX);
	if (story->n_cycle) {
		tell_cycle(t, story);
	} else if (vtb_classify_abandoned(t->x, triple) || vtb_classify_wakeup(t->x, triple) ||
	           vtb_classify_missed_signal(t->x, t->tab, triple)) {
		story->pattern = triple->pattern;
		story->var = t->x->events[triple->first].var;
		pick_triple(t, triple);
		if (triple->pattern == VTB_PATTERN_LOST_WAKEUP)
			story_pick_overtaken(t, triple);
		if (triple->pattern == VTB_PATTERN_TOO_FEW_WOKEN)
			story_pick_other_waiters(t, triple);
		if (triple->pattern == VTB_PATTERN_ABANDONED) {
			story->var = t->x->pending[triple->pending].var; /* a wait on a condition takes it, too */
			story_pick_cancel(t, &t->x->events[triple->intruder]);
		}
	} else {
		story->pattern = VTB_PATTERN_STUCK;
	}
	pick_waiting(t, story, triple);
}

/* Who has the object, and who does what is not allowed. */
static void tell_misuse(struct teller *t, struct vtb_story *story)
{
	const struct vtb_outcome *o = &t->x->outcome;
	const size_t holder = vtb_classify_misused(t->x, t->tab);

	story->pattern = VTB_PATTERN_MISUSE;
	story->var = o->var;
	if (holder != VTB_EVENT_NONE)
		story_pick(t, holder, VTB_STEP_FIRST, NEED_PATTERN);
	story_pick_failure(t, NEED_CONTEXT);
}

static void tell_accesses(struct teller *t, struct vtb_story *story, struct vtb_triple *triple)
{
	const bool paid = vtb_exec_tuple(t->x).c > 0;
	bool found = vtb_classify_atomicity(t->x, t->tab, triple);
	struct vtb_triple order;

	/* without a paid switch a pattern around a free one is only the more likely story if there is no other */
	if ((!found || !paid) && vtb_classify_order(t->x, t->tab, &order) &&
	    (!found || order.pending >= 0 || order.pattern == VTB_PATTERN_USE_AFTER_FREE)) {
		*triple = order;
		found = true;
	}
	story_pick_failure(t, NEED_CONTEXT);
	if (!found)
		return;
	story->pattern = triple->pattern;
	story->var = t->x->events[triple->first].var;
	pick_triple(t, triple);
}

/* The operation that freed the block which the failure is about, NONE: no such. */
static size_t freed_at(const struct teller *t, size_t failure)
{
	const struct vtb_outcome *o = &t->x->outcome;
	const uint32_t object = o->var < t->tab->n_variables ? t->tab->variables[o->var].object : VTB_NONE;

	for (size_t i = failure; object != VTB_NONE && i-- > 0;) {
		const struct vtb_event *e = &t->x->events[i];

		if (e->kind == VTB_E_FREE && e->var < t->tab->n_variables && t->tab->variables[e->var].object == object)
			return i;
	}
	return VTB_EVENT_NONE;
}

/* What became of a block is known, whatever else the order of accesses looks like. */
static void tell_memory(struct teller *t, struct vtb_story *story, struct vtb_triple *triple)
{
	const char *message = t->x->outcome.message ? t->x->outcome.message : "";
	const size_t failure = vtb_classify_failure(t->x), freed = freed_at(t, failure == VTB_EVENT_NONE ? 0 : failure);

	if (freed == VTB_EVENT_NONE) {
		tell_accesses(t, story, triple);
		return;
	}
	story->pattern = strstr(message, "freed twice") ? VTB_PATTERN_DOUBLE_FREE : VTB_PATTERN_USE_AFTER_FREE;
	story->var = t->x->outcome.var;
	*triple = (struct vtb_triple){ story->pattern, freed, failure, VTB_EVENT_NONE, -1 };
	story_pick_failure(t, NEED_CONTEXT);
	pick_triple(t, triple);
}

static int by_place(const void *a, const void *b)
{
	const struct pick *l = a, *r = b;

	return (l->step.at > r->step.at) - (l->step.at < r->step.at);
}

/* Drop the least needed, of those the earliest, until the story is short enough to read. */
static void shorten(struct teller *t)
{
	while (t->n > VTB_STEPS_MAX) {
		size_t least = 0;

		for (size_t i = 1; i < t->n; i++)
			if (t->picks[i].weight < t->picks[least].weight)
				least = i;
		t->n--;
		memmove(&t->picks[least], &t->picks[least + 1], (t->n - least) * sizeof(t->picks[0]));
	}
}

static size_t step_of(const struct vtb_story *story, size_t at)
{
	for (size_t i = 0; i < story->n_steps && at != VTB_EVENT_NONE; i++)
		if (story->steps[i].at == at)
			return i;
	return VTB_STEPS_MAX;
}

void vtb_story_operation(const struct vtb_exec *x, struct vtb_event *e)
{
	if (e->kind != VTB_E_PENDING)
		return;
	e->kind = (uint8_t)e->aux;
	e->aux = e->kind == VTB_E_COND_WAKE ? VTB_NONE : 0;
	for (size_t i = x->n_events;
	     i-- > 0 && e->aux == VTB_NONE;) /* the mutex it will need is the one it gave back */
		if (x->events[i].kind == VTB_E_COND_WAIT && x->events[i].thread == e->thread)
			e->aux = x->events[i].aux;
}

/* A view of the run in which pending operations have their own kind; its `pending` is to be freed. */
static struct vtb_exec with_operations(const struct vtb_exec *x)
{
	struct vtb_exec view = *x;

	view.pending = x->n_pending ? malloc(x->n_pending * sizeof(*view.pending)) : NULL;
	view.n_pending = view.pending ? x->n_pending : 0;
	for (size_t i = 0; i < view.n_pending; i++) {
		view.pending[i] = x->pending[i];
		vtb_story_operation(x, &view.pending[i]);
	}
	return view;
}

void vtb_story_find(const struct vtb_exec *exec, const struct vtb_symtab *tab, const struct vtb_causes *causes,
                    struct vtb_story *ret)
{
	struct vtb_exec view = with_operations(exec);
	const struct vtb_exec *x = &view;
	struct teller t = { .x = x, .tab = tab };
	struct vtb_triple triple = {
		.first = VTB_EVENT_NONE, .intruder = VTB_EVENT_NONE, .second = VTB_EVENT_NONE, .pending = -1
	};

	*ret = (struct vtb_story){ .var = VTB_NONE };
	pick_switches(&t);
	if (story_is_deadlock(x->outcome.verdict))
		tell_deadlock(&t, ret, &triple);
	else if (x->outcome.verdict == VTB_V_MISUSE)
		tell_misuse(&t, ret);
	else if (x->outcome.verdict == VTB_V_MEMORY)
		tell_memory(&t, ret, &triple);
	else
		tell_accesses(&t, ret, &triple);
	if (causes && causes->n_causes)
		story_tell_cause(&t, &causes->causes[0], ret);
	story_pick_handlers(&t);
	qsort(t.picks, t.n, sizeof(t.picks[0]), by_place);
	shorten(&t);
	story_settle_stops(&t);
	if (ret->folded)
		story_carry_preemptions(&t);
	for (size_t i = 0; ret->folded && i < t.n; i++)
		ret->folded -= t.picks[i].step.at < x->n_events && vtb_event_is_operation(&t.picks[i].step.event);
	for (size_t i = 0; i < t.n; i++)
		ret->steps[ret->n_steps++] = t.picks[i].step;
	ret->first = step_of(ret, triple.first);
	ret->intruder =
	    step_of(ret, triple.pending >= 0 && triple.intruder == VTB_EVENT_NONE ? x->n_events + (size_t)triple.pending
	                                                                          : triple.intruder);
	ret->second = step_of(ret, triple.second);
	free(view.pending);
	if (x->outcome.verdict ==
	    VTB_V_LIVELOCK) { /* two operations out of order do not explain a loop without an end */
		ret->pattern = VTB_PATTERN_UNKNOWN;
		ret->first = ret->intruder = ret->second = VTB_STEPS_MAX;
	}
}

void vtb_story_blame_nothing(struct vtb_story *story)
{
	story->pattern = VTB_PATTERN_UNKNOWN;
	story->var = VTB_NONE;
	story->n_cycle = 0;
	story->first = story->intruder = story->second = VTB_STEPS_MAX;
	for (size_t i = 0; i < story->n_steps; i++)
		if (story->steps[i].role != VTB_STEP_FAILS && story->steps[i].role != VTB_STEP_PENDING)
			story->steps[i].role = VTB_STEP_CONTEXT;
}
