/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What time or chance does: deadlines that pass early, and signals that come early. */
#include <errno.h>
#include <string.h>

#include "aim.h"

#define COST_OF_CHANCE 1u
#define COST_OF_SAME 3u /* at a place at which it was tried before */
#define STEPS_MOST 4096u
#define COST_OF_SPURIOUS 3u
#define LOOKS 8u       /* operations before a wait: if it looks at something it does so among these */
#define FIRST_LOOKS 2u /* and after it among so many reads */
#define SPANS_LOOKED 256u
#define ROUNDS 64u /* of who waits again and again */

uint32_t aim_chances(const struct aim_shot *shot)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < shot->n_stops; i++)
		n += shot->stops[i].chance != 0;
	return n;
}

/* ---- what a run shows */

static void end_span(struct aim *s, const struct vtb_wait *w, bool signal)
{
	for (size_t i = s->n_spans; i-- > 0;) {
		struct aim_span *span = &s->spans[i];

		if (span->thread != w->thread || (span->chance == VTB_DEV_SIGNAL) != signal)
			continue;
		if (span->to == VTB_NONE)
			span->to = w->row;
		return;
	}
}

static int note_wait(struct aim *s, const struct vtb_exec *x, const struct vtb_wait *w)
{
	const bool signal = w->kind == VTB_E_SIGNAL_DUE;
	const uint8_t chance = signal ? VTB_DEV_SIGNAL : VTB_DEV_TIMEOUT;
	const uint32_t last = w->thread < s->n_latest ? s->latest[w->thread] : VTB_NONE;

	end_span(s, w, signal);
	if (!w->kind || !w->armed || !(x->kinds >> chance & 1) || w->thread >= s->n_done)
		return 0;
	if (vtb_array_room(s, spans) < 0)
		return -ENOMEM;
	s->spans[s->n_spans++] = (struct aim_span){
		.thread = w->thread,
		.from = w->row,
		.to = VTB_NONE,
		.done = s->done[w->thread],
		.mutex = last != VTB_NONE && w->kind == VTB_E_COND_WAKE ? x->events[last].aux : VTB_NONE,
		.site = last != VTB_NONE ? x->events[last].site : VTB_NONE,
		.chance = chance,
	};
	return 0;
}

static int note_handled(struct aim *s, const struct vtb_exec *x, uint32_t begin)
{
	const uint32_t thread = x->events[begin].thread;

	for (uint32_t i = begin + 1, n = 0; i < x->n_events && n < AIM_HANDLED; i++) {
		const struct vtb_event *e = &x->events[i];
		uint64_t *bits;

		if (e->thread != thread || !vtb_event_is_operation(e))
			continue;
		if (e->var == VTB_NONE || vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			return 0;
		bits = vtb_map64_put(&s->handled, e->var, 0);
		if (!bits)
			return -ENOMEM;
		*bits |= aim_writes(e) ? 3u : 1u;
		n++;
	}
	return 0;
}

int aim_read_spans(struct aim *s, const struct vtb_exec *x)
{
	size_t next = 0;
	int r = vtb_array_extend(s, latest, s->n_done, VTB_NONE);

	s->n_spans = 0;
	memset(s->done, 0, s->n_done * sizeof(*s->done));
	for (size_t t = 0; r >= 0 && t < s->n_latest; t++)
		s->latest[t] = VTB_NONE;
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		for (; r >= 0 && next < x->n_waits && x->waits[next].row <= i; next++)
			r = note_wait(s, x, &x->waits[next]);
		if (r >= 0 && e->kind == VTB_E_SIGNAL_HANDLE)
			r = note_handled(s, x, i);
		s->done[e->thread] += vtb_event_is_operation(e);
		s->latest[e->thread] = i;
	}
	return r;
}

const struct aim_span *aim_span_at(const struct aim *s, uint32_t thread, uint32_t row, uint8_t chance)
{
	for (size_t i = s->n_spans, looked = 0; i-- > 0 && looked < SPANS_LOOKED; looked++)
		if (s->spans[i].thread == thread && s->spans[i].chance == chance && s->spans[i].from <= row)
			return s->spans[i].to == VTB_NONE || row <= s->spans[i].to ? &s->spans[i] : NULL;
	return NULL;
}

/* ---- as soon as it can be taken */

static int take_first(struct aim_look *l, const struct aim_span *span)
{
	struct aim *s = l->s;
	uint64_t *times;
	uint32_t after;

	if (span->from <= l->from || span->from >= l->x->n_events)
		return 0;
	if (span->chance != VTB_DEV_SIGNAL && l->x->events[span->from].thread == span->thread)
		return 0;
	after = l->x->events[span->from - 1].thread;
	times = vtb_map64_put(&s->met, (uint64_t)span->chance << 32 | span->site, 0);
	if (!times)
		return -ENOMEM;
	return aim_add_stop(l,
	                    (struct aim_stop){ .thread = after,
	                                       .index = aim_done_at(l->x, after, span->from),
	                                       .var = VTB_NONE,
	                                       .site = span->site,
	                                       .chance = span->chance,
	                                       .target = span->thread,
	                                       .next = span->done + 1 },
	                    COST_OF_CHANCE + COST_OF_SAME * (uint32_t)(*times)++);
}

/* Who was let go on waits at the same place again: whatever it waits for may never come in time. */
int aim_wait_out(struct aim_look *l)
{
	struct aim *s = l->s;
	const struct aim_stop *last = &l->shot->stops[l->shot->n_stops - 1];
	struct aim_shot shot = *l->shot;
	const struct aim_span *span = NULL;

	for (size_t i = 0; last->chance == VTB_DEV_TIMEOUT && !span && i < s->n_spans && i < SPANS_LOOKED; i++)
		if (s->spans[i].thread == last->target && s->spans[i].chance == VTB_DEV_TIMEOUT &&
		    s->spans[i].site == last->site && s->spans[i].done >= last->next)
			span = &s->spans[i];
	if (!span)
		return 0;
	shot.circle = (uint32_t)s->n_circles;
	shot.n_circle = ROUNDS;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		if (vtb_array_room(s, circles) < 0)
			return -ENOMEM;
		s->circles[s->n_circles++] = (struct aim_stop){ .thread = last->target,
			                                        .index = span->done + k * (span->done + 1 - last->next),
			                                        .var = VTB_NONE,
			                                        .site = last->site,
			                                        .chance = VTB_DEV_TIMEOUT,
			                                        .target = last->target,
			                                        .next = VTB_NONE };
	}
	return aim_queue(s, shot, shot.cost + 1);
}

/* ---- between two operations of who handles a signal */

static uint32_t log2_of(uint32_t n)
{
	return n ? 32u - (uint32_t)__builtin_clz(n) : 0;
}

static bool meets_handler(const struct aim *s, const struct aim_step *step)
{
	uint64_t bits = 0;

	return vtb_map64_get(&s->handled, step->var, &bits) && (step->writes || bits > 1);
}

/* What the thread does while a signal may come to it, as long as none has. */
static int note_steps(struct aim *s, const struct vtb_exec *x, const struct aim_span *span)
{
	const uint32_t end = span->to == VTB_NONE ? (uint32_t)x->n_events : span->to;
	uint32_t done = span->done;

	for (uint32_t i = span->from; i < end && s->n_steps < STEPS_MOST; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != span->thread || !vtb_event_is_operation(e))
			continue;
		if (e->kind == VTB_E_SIGNAL_HANDLE)
			return 0;
		if (vtb_array_room(s, steps) < 0)
			return -ENOMEM;
		s->steps[s->n_steps++] = (struct aim_step){ span->thread, ++done, e->var, e->site, aim_writes(e) };
	}
	return 0;
}

/* From the last to the first, so that it is known what comes next. */
int aim_signal_between(struct aim_look *l)
{
	struct aim *s = l->s;
	struct aim_shot shot = *l->shot;
	uint32_t next = VTB_NONE;
	int r = 0;

	shot.n_stops = 1;
	for (size_t i = s->n_steps; r >= 0 && i-- > 0;) {
		const struct aim_step *step = &s->steps[i];

		if (i + 1 < s->n_steps && s->steps[i + 1].thread != step->thread)
			next = VTB_NONE;
		if (step->var == VTB_NONE || !meets_handler(s, step))
			continue;
		shot.stops[0] = (struct aim_stop){ .thread = step->thread,
			                           .index = step->done,
			                           .var = VTB_NONE,
			                           .site = step->site,
			                           .chance = VTB_DEV_SIGNAL,
			                           .target = step->thread,
			                           .next = step->done + 1 };
		if (next != VTB_NONE)
			r = aim_queue(s, shot, 2 * log2_of(next - step->done));
		next = step->done;
	}
	return r;
}

/* ---- wakes without a signal */

/* Has the thread done something at this place among its last operations before the event? */
static bool was_there(const struct vtb_exec *x, uint32_t thread, uint32_t event, uint32_t site)
{
	uint32_t n = 0;

	for (uint32_t i = event; i-- > 0 && n < LOOKS;) {
		if (x->events[i].thread != thread)
			continue;
		if (x->events[i].site == site)
			return true;
		n++;
	}
	return false;
}

/* Does the thread that is woken there look again at what it has looked at before it waited? */
static bool looks_again(const struct vtb_exec *x, uint32_t wait)
{
	const uint32_t thread = x->events[wait].thread;
	uint32_t n = 0;

	for (uint32_t i = wait + 1; i < x->n_events && n < FIRST_LOOKS; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != thread || vtb_event_info(e->kind)->family > VTB_FAMILY_ATOMIC ||
		    !vtb_event_is(e, VTB_EV_READS))
			continue;
		if (was_there(x, thread, wait, e->site))
			return true;
		n++;
	}
	return !n; /* nothing is known of it */
}

static int wake_idle(struct aim_look *l)
{
	struct aim *s = l->s;
	int r = 0;

	memset(s->done, 0, s->n_done * sizeof(*s->done));
	for (uint32_t i = 0; r >= 0 && i < l->x->n_events; i++) {
		const struct vtb_event *e = &l->x->events[i];
		uint64_t *times;

		s->done[e->thread] += vtb_event_is_operation(e);
		if (e->kind != VTB_E_COND_WAIT || looks_again(l->x, i))
			continue;
		times = vtb_map64_put(&s->met, (uint64_t)VTB_DEV_SPURIOUS << 32 | e->site, 0);
		r = times ? aim_add_stop(l,
		                         (struct aim_stop){ .thread = e->thread,
		                                            .index = s->done[e->thread],
		                                            .var = e->var,
		                                            .site = e->site,
		                                            .chance = VTB_DEV_SPURIOUS,
		                                            .target = e->thread,
		                                            .next = s->done[e->thread] + 1 },
		                         COST_OF_SPURIOUS + COST_OF_SAME * (uint32_t)(*times)++)
		          : -ENOMEM;
	}
	return r;
}

int aim_take_chances(struct aim_look *l)
{
	struct aim *s = l->s;
	const bool fresh = !l->shot->n_stops && !s->n_steps;
	int r = 0;

	if (l->shot->n_stops == AIM_STOPS)
		return 0;
	if (!l->shot->n_stops && !l->known)
		r = aim_stop_before_end(l);
	vtb_map64_clear(&s->met);
	for (size_t i = 0; r >= 0 && i < s->n_spans && i < SPANS_LOOKED; i++) {
		r = take_first(l, &s->spans[i]);
		if (r >= 0 && fresh && s->spans[i].chance == VTB_DEV_SIGNAL)
			r = note_steps(s, l->x, &s->spans[i]);
	}
	if (r >= 0 && fresh && s->handled.n)
		r = aim_signal_between(l);
	if (r >= 0 && !l->shot->n_stops && l->x->kinds >> VTB_DEV_SPURIOUS & 1)
		r = wake_idle(l);
	return r;
}
