/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shown_places.h"

#include <errno.h>

#include "vtb/hash.h"

#define RUNS 4u /* of cores that are made again; the sites of others are known by then, mostly */

void vtb_shown_places_fini(struct vtb_shown_places *p)
{
	vtb_map64_fini(&p->of_op);
	vtb_map64_fini(&p->of_site);
}

static uint64_t key(uint64_t a, uint64_t b, uint64_t c)
{
	return vtb_hash((const uint64_t[]){ a, b, c }, 3 * sizeof(uint64_t));
}

/* Beside each other, event by event. */
static int learn(struct vtb_shown_places *p, const struct vtb_exec *raw, const struct vtb_exec *shown)
{
	for (size_t i = 0; i < raw->n_events && i < shown->n_events; i++) {
		const struct vtb_event *e = &raw->events[i];
		const uint64_t site = shown->events[i].site == VTB_NONE ? 0 : shown->events[i].site + 1ull;

		if (e->thread != shown->events[i].thread || e->kind != shown->events[i].kind)
			return 0; /* it came out otherwise */
		if (vtb_map64_set(&p->of_op, key((uintptr_t)raw, i, e->site), site) < 0 ||
		    !vtb_map64_put(&p->of_site, key(e->thread, e->site, 0), site))
			return -ENOMEM;
	}
	return 0;
}

static int show(struct vtb_hunt *hunt, const struct vtb_exec *raw, struct vtb_shown_places *p)
{
	struct vtb_schedule s = { 0 };
	struct vtb_exec shown = { 0 };
	int r = vtb_exec_schedule(raw, &s);

	if (r >= 0)
		r = hunt->show(hunt->runner, &s, &shown, hunt->err);
	if (r >= 0)
		r = learn(p, raw, &shown);
	vtb_exec_fini(&shown);
	vtb_schedule_fini(&s);
	return r;
}

int vtb_shown_places(struct vtb_hunt *hunt, const struct vtb_cores *cores, struct vtb_shown_places *ret)
{
	int r = 0;

	*ret = (struct vtb_shown_places){ 0 };
	if (!hunt->show)
		return 0;
	for (size_t i = 0; i < cores->n_cores && i < RUNS && r >= 0; i++)
		r = show(hunt, &cores->cores[i].exec, ret);
	if (r >= 0)
		r = show(hunt, &hunt->result->first, ret);
	if (r < 0)
		vtb_shown_places_fini(ret);
	return r;
}

static size_t place_in(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; op->index && i < x->n_events; i++)
		if (x->events[i].thread == op->thread && vtb_event_is_operation(&x->events[i]) && ++n == op->index)
			return i;
	return SIZE_MAX;
}

uint32_t vtb_shown_place(const struct vtb_shown_places *p, const struct vtb_core_op *op, const struct vtb_exec *run)
{
	const size_t at = place_in(run, op);
	uint64_t site = 0;

	if (at == SIZE_MAX || !vtb_map64_get(&p->of_op, key((uintptr_t)run, at, op->site), &site) || !site)
		vtb_map64_get(&p->of_site, key(op->thread, op->site, 0), &site);
	return site ? (uint32_t)(site - 1) : op->site;
}
