/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chance_draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"

#define FIRST_LOOKED 256u /* so many runs are searched for chances; */
#define LOOKED_AT 16u     /* then one in so many, */
#define LOOKED_EVERY 64u  /* or in so many if none has held any */
#define BATCH 64u         /* schedules, if some are to have chances, which are learnt from those before */

void vtb_chance_draw_init(struct vtb_chance_draw *d, uint64_t seed)
{
	*d = (struct vtb_chance_draw){ .rng = vtb_mix64(seed + 0x6368616e6365) };
}

/* A batch begins: tickets count from 0. */
static void forget_batch(struct vtb_chance_draw *d)
{
	for (size_t i = 0; i < d->n_flight; i++)
		vtb_schedule_fini(&d->flight[i]);
	d->n_flight = 0;
}

void vtb_chance_draw_fini(struct vtb_chance_draw *d)
{
	forget_batch(d);
	for (uint32_t i = 0; i < VTB_CHANCE_CLASSES; i++)
		vtb_schedule_fini(&d->next[i]);
	vtb_chances_fini(&d->chances);
	free(d->done);
	free(d->flight);
	*d = (struct vtb_chance_draw){ 0 };
}

/* Remember what was proposed; sets the ticket. */
static int note(struct vtb_chance_draw *d, struct vtb_plan *plan)
{
	int r = vtb_array_room(d, flight);

	if (r < 0)
		return r;
	r = vtb_schedule_copy(&plan->schedule, &d->flight[d->n_flight]);
	if (r < 0)
		return r;
	plan->ticket = d->n_flight++;
	return 0;
}

static uint32_t classes_ready(const struct vtb_chance_draw *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < VTB_CHANCE_CLASSES; i++)
		n += d->ready[i];
	return n;
}

/* Should this plan be one with a chance? 1: it is filled. */
static int propose(struct vtb_chance_draw *d, struct vtb_plan *plan)
{
	const uint32_t n = classes_ready(d);
	uint32_t class = 0;
	uint64_t k;
	int r;

	if (!n || vtb_rng_below(&d->rng, VTB_CHANCE_SHARE))
		return 0;
	for (k = vtb_rng_below(&d->rng, n); !d->ready[class] || k--; class ++)
		;
	plan->schedule = d->next[class];
	d->next[class] = (struct vtb_schedule){ 0 };
	d->ready[class] = false;
	plan->loose = true; /* a run may end before its other deviations */
	d->taken++;
	r = note(d, plan);
	return r < 0 ? r : 1;
}

/* What could have happened in a run is not in its class. */
static bool wants_events(struct vtb_chance_draw *d)
{
	if (d->proposed <= FIRST_LOOKED)
		return true;
	return d->kinds ? !vtb_rng_below(&d->rng, LOOKED_AT) : d->proposed % LOOKED_EVERY == 0;
}

int64_t vtb_chance_draw_batch(struct vtb_chance_draw *d, struct vtb_plan *plans, size_t max,
                              int (*draw)(void *state, struct vtb_plan *plan), void *state)
{
	int r = 0;

	forget_batch(d);
	max = d->kinds && max > BATCH ? BATCH : max;
	for (size_t i = 0; r >= 0 && i < max; i++) {
		d->proposed++;
		r = propose(d, &plans[i]);
		plans[i].schedule.brief = !wants_events(d);
		if (r)
			continue;
		r = draw(state, &plans[i]);
		if (r >= 0)
			r = note(d, &plans[i]);
	}
	return r < 0 ? r : (int64_t)max;
}

int64_t vtb_chance_draw_first(struct vtb_chance_draw *d, struct vtb_plan *plan)
{
	int r;

	forget_batch(d);
	r = note(d, plan);
	return r < 0 ? r : 1;
}

/* ---- learning */

struct pick {
	uint64_t seen[VTB_CHANCE_CLASSES]; /* chances of the class so far in this run */
	struct vtb_deviation best[VTB_CHANCE_CLASSES];
};

/* All in the list, each kept with the same probability as those of its class before. */
static void weigh_list(struct vtb_chance_draw *d, struct pick *p, uint32_t thread)
{
	for (size_t i = 0; i < d->chances.n_list; i++) {
		const struct vtb_chance *c = &d->chances.list[i];
		const uint32_t class = vtb_chance_class(c->kind);

		d->kinds |= 1u << c->kind;
		if (vtb_rng_below(&d->rng, ++p->seen[class]))
			continue;
		p->best[class] = (struct vtb_deviation){
			.after = { .thread = thread, .index = d->done[thread], .name = { .site = VTB_NONE } },
			.kind = (enum vtb_deviation_kind)c->kind,
			.target = c->target,
			.var = c->var == VTB_CHANCE_CLOCK ? VTB_NONE : c->var,
			.cost = 1,
		};
	}
}

static int walk_along(struct vtb_chance_draw *d, const struct vtb_exec *x, struct pick *p)
{
	uint32_t before = VTB_NONE;
	int r = 0;

	vtb_chances_begin(&d->chances, x);
	if (d->n_done)
		memset(d->done, 0, d->n_done * sizeof(*d->done));
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL)
			continue;
		r = vtb_array_extend(d, done, e->thread + 1u, 0);
		if (r >= 0 && e->kind == VTB_E_OWNED)
			d->done[e->thread] += (uint32_t)e->value;
		if (e->kind == VTB_E_OWNED)
			continue;
		if (r >= 0)
			r = vtb_chances_before(&d->chances, i);
		if (r >= 0 && before != VTB_NONE)
			weigh_list(d, p, before);
		if (r >= 0)
			r = vtb_chances_of(&d->chances, i);
		if (r >= 0)
			weigh_list(d, p, e->thread);
		if (r >= 0)
			r = vtb_chances_feed(&d->chances, i);
		d->done[e->thread] += r >= 0;
		before = e->thread;
	}
	return r;
}

static int keep(struct vtb_chance_draw *d, uint32_t class, const struct vtb_schedule *s,
                const struct vtb_deviation *dev)
{
	struct vtb_schedule copy;
	int r = vtb_schedule_copy(s, &copy);

	if (r >= 0)
		r = vtb_schedule_deviate(&copy, dev->after.thread, dev->after.index, dev->kind, dev->target, dev->var,
		                         1);
	if (r < 0) {
		vtb_schedule_fini(&copy);
		return r;
	}
	vtb_schedule_fini(&d->next[class]);
	d->next[class] = copy;
	d->ready[class] = true;
	return 0;
}

int vtb_chance_draw_learn(struct vtb_chance_draw *d, uint64_t ticket, const struct vtb_exec *x)
{
	struct pick p = { 0 };
	int r;

	if (x->brief || ticket >= d->n_flight || !vtb_chances_any(x))
		return 0;
	r = walk_along(d, x, &p);
	for (uint32_t i = 0; r >= 0 && i < VTB_CHANCE_CLASSES; i++)
		if (p.seen[i])
			r = keep(d, i, &d->flight[ticket], &p.best[i]);
	return r;
}

void vtb_chance_draw_claim(const struct vtb_chance_draw *d, struct vtb_claim *ret)
{
	const size_t used = strlen(ret->text);

	ret->least = d->proposed > 0; /* walks have no levels */
	if (!d->kinds)
		return;
	ret->explored |= d->taken ? d->kinds : 0;
	ret->unexplored |= d->taken ? 0 : d->kinds;
	snprintf(ret->text + used, sizeof(ret->text) - used,
	         "; time or chance was let in at random places of %llu of them", (unsigned long long)d->taken);
}
