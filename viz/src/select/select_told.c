/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of a failure the pictures keep what the verdict block tells, and what fails: not what libraries do besides, not what
 * is taken down after it. */
#include <errno.h>
#include <stdlib.h>

#include "select_priv.h"
#include "vtb/story.h"
#include "vtb/told.h"

/* The event of the trace that is row `at` of the told run, where pending operations stand behind all others. */
static size_t event_of(const struct vtb_trace *trace, size_t n_events, size_t at)
{
	size_t done = 0, pending = 0;

	for (size_t i = 0; i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (e->thread >= trace->tab.n_threads)
			continue;
		if (e->kind == VTB_E_PENDING ? n_events + pending++ == at : done++ == at)
			return i;
	}
	return SELECT_NO_EVENT;
}

int select_told(const struct vtb_failure *failure, bool **ret)
{
	bool *told = calloc(failure->trace.n_events + 1, sizeof(*told));
	struct vtb_story story;
	struct vtb_told words;

	if (!told || vtb_told_of_failure(failure, NULL, &words) < 0) {
		free(told);
		return -ENOMEM;
	}
	vtb_story_find(words.run, words.tab, words.regardless ? NULL : words.causes, &story);
	for (size_t i = 0; i < story.n_steps; i++) {
		const size_t at = event_of(&failure->trace, words.run->n_events, story.steps[i].at);

		if (at != SELECT_NO_EVENT)
			told[at] = true;
	}
	vtb_told_fini(&words);
	*ret = told;
	return 0;
}

/* The thread's last kept event up to `at`, or its first one from there. */
static size_t kept_near(const struct selecting *c, size_t at, bool back)
{
	const uint32_t thread = c->trace->events[at].thread;

	for (size_t i = at; i < c->trace->n_events; i = back ? i - 1 : i + 1) /* below 0: the largest number */
		if (c->s->keep[i] && c->trace->events[i].thread == thread)
			return i;
	return SELECT_NO_EVENT;
}

/* An arrow of a switch begins and ends at what is kept. */
static void move_turns(struct selecting *c)
{
	for (size_t i = 0; i < c->s->n_turns; i++) {
		struct turn *turn = &c->s->turns[i];

		if (turn->from != SELECT_NO_EVENT)
			turn->from = kept_near(c, turn->from, true);
		if (turn->to != SELECT_NO_EVENT)
			turn->to = kept_near(c, turn->to, false);
	}
}

void select_keep_told(struct selecting *c)
{
	for (size_t i = 0; i < c->trace->n_events; i++)
		c->s->keep[i] = c->told[i];
	for (size_t i = 0; i < c->s->n_failing; i++)
		c->s->keep[c->s->failing[i]] = true;
	move_turns(c);
}
