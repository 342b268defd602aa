/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict block of a failure.json: its events are those of a run, but who could have gone on is not in it. Of that
 * the block needs where a thread was preempted, and this the schedule tells. */
#include "vtb/told.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/exec_stretch.h"
#include "vtb/story.h"

/* The schedule has a table of names of its own. */
static uint32_t thread_of(const struct vtb_failure *f, uint32_t thread)
{
	const char *path = vtb_thread_path(&f->schedule.tab, thread);

	for (uint32_t i = 0; thread < f->schedule.tab.n_threads && i < f->trace.tab.n_threads; i++)
		if (strcmp(f->trace.tab.threads[i].path, path) == 0)
			return i;
	return VTB_NONE;
}

static void could_go_on(struct vtb_exec *x, size_t event, uint32_t thread)
{
	x->enabled[event * x->stride + thread / 64] |= 1ull << thread % 64;
}

/* vtb_exec_preempts(): who was left could have gone on, and who came could have before. */
static void preempted(struct vtb_exec *x, size_t at)
{
	if (at + 1 >= x->n_events)
		return;
	could_go_on(x, at + 1, x->events[at].thread);
	could_go_on(x, at, x->events[at + 1].thread);
	could_go_on(x, at + 1, x->events[at + 1].thread);
}

static int take_choices(const struct vtb_failure *f, struct vtb_exec *x)
{
	const struct vtb_schedule *s = f->schedule.n_schedules ? &f->schedule.schedules[0] : NULL;

	x->stride = (uint32_t)(f->trace.tab.n_threads + 63) / 64;
	x->n_enabled = x->n_events * x->stride;
	x->enabled = calloc(x->n_enabled + 1, sizeof(*x->enabled));
	if (!x->enabled)
		return -ENOMEM;
	for (size_t i = 0; s && i < s->n_deviations; i++) {
		const struct vtb_deviation *d = &s->deviations[i];

		if (d->kind == VTB_DEV_SWITCH && d->cost)
			preempted(x, vtb_stretch_event(x, thread_of(f, d->after.thread), d->after.index));
	}
	return 0;
}

static int take_events(const struct vtb_trace *trace, struct vtb_exec *x)
{
	for (size_t i = 0; i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (vtb_array_room(x, events) < 0 || vtb_array_room(x, pending) < 0)
			return -ENOMEM;
		if (e->thread >= trace->tab.n_threads)
			continue;
		if (e->kind == VTB_E_PENDING)
			x->pending[x->n_pending++] = *e;
		else
			x->events[x->n_events++] = *e;
	}
	return 0;
}

static bool ends_in(const char *name, const char *end)
{
	const size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static const char *file_with(const struct vtb_failure *f, const char *end)
{
	for (size_t i = 0; f->files && f->files[i]; i++)
		if (ends_in(f->files[i], end))
			return f->files[i];
	return NULL;
}

static void fill(const struct vtb_failure *f, const char *path, struct vtb_told *b)
{
	*b = (struct vtb_told){ .tab = &f->trace.tab,
		                .tuple = f->tuple,
		                .t_known = f->tuple.t > 0,
		                .regardless = f->verdict == VTB_V_REGARDLESS,
		                .first = true,
		                .confirmed = f->confirmed,
		                .found = f->found,
		                .tools = f->options,
		                .schedule_tab = &f->schedule.tab,
		                .heap = f,
		                .said = &f->said,
		                .causes = &f->causes,
		                .argv = f->schedule.argv,
		                .variants = f->variants,
		                .replay_command = f->replay_command,
		                .failure_path = path,
		                .svg_path = file_with(f, ".svg"),
		                .dot_path = file_with(f, ".dot") };
	if (f->schedule.n_schedules)
		b->schedule = &f->schedule.schedules[0];
}

int vtb_told_of_failure(const struct vtb_failure *failure, const char *path, struct vtb_told *ret)
{
	struct vtb_exec x = { .outcome = failure->trace.outcome };
	int r = take_events(&failure->trace, &x);

	for (size_t i = 0; r >= 0 && i < x.n_pending; i++)
		vtb_story_operation(&x, &x.pending[i]);
	if (r >= 0)
		r = take_choices(failure, &x);
	if (r < 0) {
		vtb_exec_fini(&x);
		return r;
	}
	fill(failure, path, ret);
	ret->own = x;
	ret->run = &ret->own;
	if (!failure->tuple_known && !ret->regardless)
		ret->tuple = vtb_exec_tuple(&x);
	return 0;
}

void vtb_told_fini(struct vtb_told *b)
{
	vtb_exec_fini(&b->own);
}

void vtb_told_why(const struct vtb_failure *failure, char *looks, size_t looks_size, char *advice, size_t advice_size)
{
	struct vtb_told told;

	*looks = *advice = 0;
	if (vtb_told_of_failure(failure, "", &told) < 0)
		return;
	vtb_told_looks(&told, looks, looks_size);
	vtb_told_advice(&told, advice, advice_size);
	vtb_told_fini(&told);
}
