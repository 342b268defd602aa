/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run suggests: whom to stop, who is woken last, and where it matters whether who was stopped goes on soon. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aim.h"
#include "vtb/rng.h"

#define COST_OF_SOON 6u
#define COST_OF_HELP 2u

void aim_patterns_fini(struct aim *s)
{
	free(s->lasts);
	free(s->parts);
	free(s->edges);
	free(s->circles);
	free(s->given);
	free(s->lives);
	free(s->ops);
	free(s->next);
	free(s->held);
	free(s->locks);
	free(s->rounds);
	free(s->round_begins);
	free(s->done);
	free(s->spans);
	free(s->steps);
	free(s->latest);
	free(s->depends);
	vtb_map64_fini(&s->written);
	vtb_map64_fini(&s->stood);
	vtb_map64_fini(&s->reached);
	vtb_map64_fini(&s->handled);
	vtb_map64_fini(&s->looked);
	vtb_map64_fini(&s->fresh);
	vtb_chances_fini(&s->chances);
	vtb_map64_fini(&s->by_var);
	vtb_map64_fini(&s->by_place);
	vtb_map64_fini(&s->given_at);
	vtb_map64_fini(&s->by_lock);
	vtb_map64_fini(&s->counted);
	visits_fini(&s->visits);
	visits_fini(&s->all_visits);
	vtb_map64_fini(&s->met);
	vtb_map64_fini(&s->touched);
}

/* ---- whom to stop */

uint32_t aim_behind(const struct vtb_exec *x, const struct aim_stop *stop)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == stop->thread && vtb_event_is_operation(&x->events[i]) &&
		    ++done == stop->index)
			return i + 1;
	return VTB_NONE;
}

static uint32_t threads_in(const struct vtb_exec *x)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	return n;
}

/* Nobody was stopped yet: who ran first is, or anybody. */
static int stop_first(struct aim_look *l)
{
	struct aim *s = l->s;
	const uint32_t first = l->shot->first;
	uint32_t looked = 0;
	int r = 0;

	if (first != VTB_NONE) {
		l->thread = first;
		r = aim_stops_of(l);
		l->thread = l->shot->second; /* behind it */
		if (r >= 0 && l->thread != VTB_NONE && l->thread)
			r = aim_stops_of(l);
		l->only_chances = true; /* somebody waits for his time since then */
	}
	for (l->thread = 0; r >= 0 && l->thread < s->n_next && looked < AIM_LOOKED; l->thread++) {
		if (aim_class_of(s, l->thread) != l->thread || l->thread == first || (first != VTB_NONE && !s->n_spans))
			continue;
		r = aim_stops_of(l);
		looked++;
	}
	l->only_chances = false;
	return r;
}

static uint32_t goes_on_at(const struct vtb_exec *x, uint32_t thread, uint32_t from)
{
	while (from < x->n_events && x->events[from].thread != thread)
		from++;
	return from;
}

static uint32_t helped_at(const struct vtb_exec *x, uint32_t thread, uint32_t from)
{
	while (from < x->n_events && (x->events[from].thread == thread || !vtb_event_is_operation(&x->events[from])))
		from++;
	return from;
}

/* Whom the first one gave way to, as long as that one has not gone on: then nothing is half done any more. What it has
 * left half done is for the first one, not for the others. */
static int stop_second(struct aim_look *l)
{
	struct aim_look second = *l;
	struct aim_shot shot = *l->shot;

	shot.soon = true;
	second.shot = &shot;
	second.thread = shot.stops[0].thread == shot.second ? shot.third : shot.second;
	second.from = aim_behind(l->x, &shot.stops[0]);
	if (second.from == VTB_NONE || second.thread == VTB_NONE)
		return 0;
	second.to = goes_on_at(l->x, shot.stops[0].thread, second.from);
	second.helped = helped_at(l->x, second.thread, second.from);
	return aim_stops_of(&second);
}

/* The one that was stopped meets what the others do only if they come first. */
static int stop_again(struct aim_look *l)
{
	struct aim_look again = *l;
	struct aim_shot whole = *l->shot;

	whole.n_stops = 0;
	whole.soon = false;
	whole.third = VTB_NONE;
	again.shot = &whole;
	again.thread = whole.first;
	again.whenever = true;
	return l->shot->stops[0].thread == whole.first ? aim_stops_of(&again) : 0;
}

/* ---- who goes on soon */

/* A list of others who, while somebody was stopped, did what he met later. */
struct met {
	uint32_t threads[AIM_PARTNERS];
	uint32_t n;
};

static void meet(struct met *m, uint64_t by)
{
	const uint32_t thread = (uint32_t)by - 1;

	for (uint32_t i = 0; i < m->n; i++)
		if (m->threads[i] == thread)
			return;
	if (by && m->n < AIM_PARTNERS)
		m->threads[m->n++] = thread;
}

/* For each variable who of the others has touched it last, and who has written it last. */
static int who_was_met(struct aim_look *l, struct met *m)
{
	struct aim *s = l->s;
	const uint32_t from = aim_behind(l->x, &l->shot->stops[l->shot->n_stops - 1]);

	vtb_map64_clear(&s->met);
	memset(s->done, 0, s->n_done * sizeof(*s->done));
	for (uint32_t i = from; i < l->x->n_events; i++) {
		const struct vtb_event *e = &l->x->events[i];
		const bool own = aim_is_stopped(l->shot, e->thread);
		uint64_t *touched, *written;

		s->done[e->thread] |= e->kind == VTB_E_THREAD_JOIN;
		if (!aim_could_meet(s, e) || (!own && (e->thread == l->shot->second || s->done[e->thread])))
			continue;
		touched = vtb_map64_put(&s->met, 2ull * e->var, 0);
		if (!own && touched)
			*touched = e->thread + 1u;
		else if (touched && aim_writes(e))
			meet(m, *touched);
		written = vtb_map64_put(&s->met, 2ull * e->var + 1, 0);
		if (!own && written && aim_writes(e))
			*written = e->thread + 1u;
		else if (own && written)
			meet(m, *written);
		if (!touched || !written)
			return -ENOMEM;
	}
	return 0;
}

/* Has the second one nothing else to do but to wait for something? */
static bool waits_then(const struct aim_look *l)
{
	const struct aim_stop *stop = &l->shot->stops[l->shot->n_stops - 1];
	bool waits = false;

	for (uint32_t i = aim_behind(l->x, stop); i < l->x->n_events && l->x->events[i].thread != stop->thread; i++)
		if (l->x->events[i].thread == l->shot->second)
			waits = l->x->events[i].kind == VTB_E_COND_WAIT;
	return waits;
}

/* He goes on before them; or before all but one of them. */
static int go_on_soon(struct aim_look *l)
{
	struct aim_shot shot = *l->shot;
	const uint32_t cost = shot.cost + (waits_then(l) ? 0 : COST_OF_SOON);
	struct met m = { .n = 0 };
	int r = who_was_met(l, &m);

	shot.soon = true;
	if (r >= 0 && m.n)
		r = aim_queue(l->s, shot, cost);
	for (uint32_t i = 0; r >= 0 && shot.n_stops == 1 && m.n > 1 && l->shot->third == VTB_NONE && i < m.n; i++) {
		shot.third = m.threads[i];
		r = aim_queue(l->s, shot, cost + COST_OF_HELP);
	}
	return r;
}

/* Both go on after the others. */
static int go_on_late(struct aim_look *l)
{
	struct aim_shot shot = *l->shot;

	shot.soon = false;
	return shot.third == VTB_NONE ? aim_queue(l->s, shot, shot.cost + COST_OF_SOON) : 0;
}

/* ---- all that a run suggests */

static const struct aim_stop *who_waits(const struct aim_shot *shot)
{
	for (uint32_t i = 0; i < shot->n_stops; i++)
		if (shot->stops[i].waits)
			return &shot->stops[i];
	return NULL;
}

/* Time or chance has let somebody go on: what could come after that? */
static int after_chance(struct aim_look *l)
{
	struct aim *s = l->s;
	const struct aim_shot *shot = l->shot;
	int r = 0;

	l->from = aim_behind(l->x, &shot->stops[shot->n_stops - 1]);
	if (l->from == VTB_NONE || shot->n_stops == AIM_STOPS)
		return 0;
	if (shot->n_stops == 1 && shot->stops[0].chance == VTB_DEV_SIGNAL)
		r = aim_signal_between(l);
	if (r >= 0)
		r = aim_wait_out(l);
	if (r >= 0 && aim_chances(shot) < AIM_CHANCES)
		r = aim_take_chances(l);
	if (r >= 0 && aim_chances(shot) < AIM_CHANCES)
		r = aim_wake_others(l);
	for (l->thread = 0; r >= 0 && !aim_halves(shot) && l->thread < s->n_next && l->thread < AIM_LOOKED; l->thread++)
		r = aim_class_of(s, l->thread) == l->thread ? aim_stops_of(l) : 0;
	return r;
}

static int look_round(struct aim_look *l, bool new_class)
{
	const struct aim_shot *shot = l->shot;
	const struct aim_stop *wait = who_waits(shot);
	int r = 0;

	l->known = !new_class;
	r = aim_note_reads(l->s, l->x);
	if (r >= 0 && !shot->n_stops && new_class)
		r = aim_read_unread(l);
	if (r >= 0 && shot->n_stops)
		r = aim_note_equal(l->s, shot, l->x);
	if (r >= 0 && shot->n_stops)
		r = aim_stop_before_end(l);
	if (r >= 0 && !aim_chances(shot) && new_class)
		r = aim_wake_others(l);
	if (r >= 0 && aim_chances(shot))
		return new_class ? after_chance(l) : 0;
	if (r >= 0 && !shot->n_stops && new_class)
		r = aim_circles(l);
	if (r >= 0 && !shot->n_stops)
		r = aim_take_chances(l);
	if (r >= 0 && shot->n_stops && !wait && !shot->soon && aim_halves(shot) < AIM_HALVES)
		r = go_on_soon(l);
	if (r >= 0 && shot->soon && !wait && aim_halves(shot) == AIM_HALVES)
		r = go_on_late(l);
	if (r < 0 || (shot->n_stops && !new_class))
		return r;
	if (!wait)
		r = aim_wake_last(l);
	if (r < 0 || aim_halves(shot) == AIM_HALVES)
		return r;
	if (wait)
		return wait == &shot->stops[shot->n_stops - 1] ? aim_stop_between(l, wait) : 0;
	if (!shot->n_stops)
		return stop_first(l);
	r = stop_again(l);
	return r < 0 ? r : stop_second(l);
}

int aim_learn(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x, bool new_class)
{
	struct aim_look l = { .s = s, .shot = shot, .x = x, .partner = VTB_NONE, .to = VTB_NONE, .helped = VTB_NONE };
	const uint32_t threads = threads_in(x), classes = (uint32_t)s->symmetry.n_class_of;
	const uint32_t n = threads > classes ? threads : classes;
	uint32_t *second = malloc((n + 1) * sizeof(*second));
	int r = second ? 0 : -ENOMEM;

	if (r >= 0 &&
	    (vtb_array_extend(s, held, n + 1, VTB_NONE) < 0 || vtb_array_extend(s, done, n + 1, 0) < 0 ||
	     vtb_array_extend(s, next, n, VTB_NONE) < 0 || vtb_array_extend(s, lives, n + 1, aim_unknown_life) < 0))
		r = -ENOMEM;
	for (uint32_t t = 0; r >= 0 && t < n; t++)
		second[t] = s->held[t] = VTB_NONE;
	r = r < 0 ? r : aim_read_spans(s, x);
	r = r < 0 ? r : aim_read_lasts(s, x, second);
	free(second);
	return r < 0 ? r : look_round(&l, new_class);
}
