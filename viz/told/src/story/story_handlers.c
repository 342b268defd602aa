/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signal handlers: what one changes under the hands of the thread that it interrupts, and calls that it ends early. No
 * other thread does anything then, so that no order of two threads tells of it. */
#include <string.h>

#include "story_picks.h"
#include "vtb/classify.h"
#include "vtb/words.h"

#define SHOWN_MOST 2u /* of what a handler changes */

static const char *function_of(const struct teller *t, const struct vtb_event *e)
{
	return e->site < t->tab->n_sites && t->tab->sites[e->site].function ? t->tab->sites[e->site].function : "";
}

static size_t next_own(const struct teller *t, size_t at)
{
	const uint32_t thread = t->x->events[at].thread;

	while (++at < t->x->n_events && t->x->events[at].thread != thread)
		;
	return at;
}

/* Where the thread goes on: its first operation outside of the function that begins behind `handle`. What that calls,
 * and what comes after such a call, is taken for the thread's. */
static size_t end_of(const struct teller *t, size_t handle)
{
	const size_t first = next_own(t, handle);
	size_t at = first;

	while (at < t->x->n_events &&
	       strcmp(function_of(t, &t->x->events[at]), function_of(t, &t->x->events[first])) == 0)
		at = next_own(t, at);
	return at;
}

/* The thread's next read of what the event writes, from `at` on. */
static size_t read_after(const struct teller *t, size_t write, size_t at)
{
	for (; at < t->x->n_events; at = next_own(t, at))
		if (vtb_classify_is_data(&t->x->events[at]) &&
		    vtb_event_overlap(&t->x->events[at], &t->x->events[write]))
			return vtb_event_is(&t->x->events[at], VTB_EV_READS) ? at : t->x->n_events;
	return t->x->n_events;
}

static void pick_sender(struct teller *t, size_t handle)
{
	for (size_t i = handle; i-- > 0;)
		if (t->x->events[i].kind == VTB_E_SIGNAL_SEND && t->x->events[i].var == t->x->events[handle].var) {
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_CONTEXT);
			return;
		}
}

/* Is a step of the handler's own function told, that begins behind `handle`? Then it is to be told that this is one:
 * its thread is in the middle of something else. */
static bool is_told(const struct teller *t, size_t handle)
{
	const size_t first = next_own(t, handle);

	for (size_t i = 0; i < t->n && first < t->x->n_events; i++)
		if (t->picks[i].step.at >= first && t->picks[i].step.at < t->x->n_events &&
		    t->picks[i].step.event.thread == t->x->events[handle].thread &&
		    !strcmp(function_of(t, &t->picks[i].step.event), function_of(t, &t->x->events[first])))
			return true;
	return false;
}

static void pick_told(struct teller *t)
{
	for (size_t i = 0; i < t->x->n_events; i++)
		if (t->x->events[i].kind == VTB_E_SIGNAL_HANDLE && is_told(t, i)) {
			pick_sender(t, i);
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_PATTERN);
		}
}

size_t story_interrupted(const struct vtb_exec *x)
{
	const size_t failure = vtb_classify_failure(x);

	for (size_t i = failure == VTB_EVENT_NONE ? 0 : failure; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];
		bool again = false;

		if (e->thread != x->events[failure].thread || !vtb_words_interrupted(e))
			continue;
		for (size_t k = i + 1; k < failure && !again; k++)
			again = x->events[k].thread == e->thread && x->events[k].kind == e->kind &&
			        x->events[k].site == e->site;
		return again ? VTB_EVENT_NONE : i;
	}
	return VTB_EVENT_NONE;
}

/* The thread that failed takes for done what a handler has ended. */
static void pick_interrupted(struct teller *t)
{
	const size_t at = story_interrupted(t->x);

	for (size_t i = at; at != VTB_EVENT_NONE && i-- > 0;) {
		if (t->x->events[i].kind != VTB_E_SIGNAL_HANDLE || t->x->events[i].thread != t->x->events[at].thread)
			continue;
		pick_sender(t, i);
		story_pick(t, i, VTB_STEP_CONTEXT, NEED_PATTERN);
		story_pick(t, at, VTB_STEP_CONTEXT, NEED_PATTERN);
		return;
	}
}

size_t story_killed_by(const struct vtb_exec *x)
{
	for (size_t i = x->n_events; i-- > 0 && x->outcome.verdict == VTB_V_SIGNAL;)
		if (x->events[i].kind == VTB_E_SIGNAL_SEND && x->events[i].flags & VTB_EVF_VALUE &&
		    x->events[i].value == (uint64_t)x->outcome.signal)
			return i;
	return VTB_EVENT_NONE;
}

void story_pick_handlers(struct teller *t)
{
	const size_t sent = story_killed_by(t->x);

	if (sent != VTB_EVENT_NONE)
		story_pick(t, sent, VTB_STEP_CONTEXT, NEED_PATTERN);
	pick_told(t);
	pick_interrupted(t);
	for (size_t i = 0; i < t->x->n_events; i++) {
		const size_t end = t->x->events[i].kind == VTB_E_SIGNAL_HANDLE ? end_of(t, i) : i;
		uint32_t shown = 0;

		for (size_t at = i; at < end && shown < SHOWN_MOST; at = next_own(t, at)) {
			const bool writes =
			    at > i && vtb_classify_is_data(&t->x->events[at]) && vtb_classify_writes(&t->x->events[at]);
			const size_t read = writes ? read_after(t, at, end) : t->x->n_events;

			if (read == t->x->n_events)
				continue;
			if (!shown++)
				pick_sender(t, i);
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_PATTERN);
			story_pick(t, at, VTB_STEP_CONTEXT, NEED_PATTERN);
			story_pick(t, read, VTB_STEP_CONTEXT, NEED_PATTERN);
		}
	}
}
