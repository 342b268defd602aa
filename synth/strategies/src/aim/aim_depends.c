/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who depends on what a thread has done, in one run: by what was read, by births, joins, and signals. */
#include <errno.h>
#include <string.h>

#include "aim.h"
#include "vtb/rng.h"

#define EVENTS_MOST 65536u /* of longer runs nothing is said */

static bool carries(const struct aim *s, const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	if (e->var == VTB_NONE || family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK)
		return false;
	return family == VTB_FAMILY_THREAD || vtb_coverage_shared(s->space->coverage, e->var);
}

uint32_t aim_thread_of(const struct aim *s, uint32_t var)
{
	const struct vtb_symtab *tab = s->space->tab;
	const uint32_t object = var < tab->n_variables ? tab->variables[var].object : VTB_NONE;

	return object != VTB_NONE && object < tab->n_objects && tab->objects[object].kind == VTB_OBJ_THREAD
	           ? tab->objects[object].thread
	           : VTB_NONE;
}

static void advance(uint32_t *depends, uint32_t to)
{
	*depends = *depends > to ? *depends : to;
}

static void live(struct aim *s, const struct vtb_event *e)
{
	const uint32_t other = aim_thread_of(s, e->var);

	if (other >= s->n_depends)
		return;
	if (e->kind == VTB_E_THREAD_CREATE)
		advance(&s->depends[other], s->depends[e->thread]);
	else if (e->kind == VTB_E_THREAD_JOIN)
		advance(&s->depends[e->thread], s->depends[other]);
}

/* How much of what the thread did was done when the variable first had the value that is read or written. What is read
 * is no news if it has stood there before; nothing stands in most variables at first. */
static int since(struct aim *s, const struct vtb_event *e, uint32_t written, uint32_t *ret)
{
	const bool known = e->flags & VTB_EVF_VALUE && e->kind != VTB_E_ATOMIC_RMW;
	const uint64_t key = vtb_mix64(vtb_mix64(e->value) + e->var);
	uint64_t *first = known ? vtb_map64_put(&s->stood, key, e->value ? written : 0) : NULL;

	*ret = first && *first < written ? (uint32_t)*first : written;
	return known && !first ? -ENOMEM : 0;
}

static int touch(struct aim *s, const struct vtb_event *e, bool looked)
{
	uint64_t *written = vtb_map64_put(&s->written, e->var, 0);
	const bool writes = vtb_event_is(e, VTB_EV_WRITES) || vtb_event_is(e, VTB_EV_RELEASE);
	uint64_t *reached;
	uint32_t first;

	if (!written ||
	    since(s, e, vtb_event_is(e, VTB_EV_READS) ? (uint32_t)*written : s->depends[e->thread], &first) < 0)
		return -ENOMEM;
	if (!looked && (vtb_event_is(e, VTB_EV_READS) || vtb_event_is(e, VTB_EV_ACQUIRE)))
		advance(&s->depends[e->thread], first);
	if (writes)
		*written = s->depends[e->thread];
	if (looked)
		return 0;
	reached = vtb_map64_put(&s->reached, (uint64_t)e->var << 32 | e->thread, UINT64_MAX);
	if (!reached)
		return -ENOMEM;
	if ((uint32_t)*reached == UINT32_MAX)
		*reached = (*reached & ~(uint64_t)UINT32_MAX) | s->depends[e->thread];
	if (aim_writes(e) && *reached >> 32 == UINT32_MAX)
		*reached = (uint32_t)*reached | (uint64_t)s->depends[e->thread] << 32;
	return 0;
}

int aim_read_depends(struct aim *s, const struct vtb_exec *x, uint32_t thread)
{
	int r = vtb_array_extend(s, depends, s->n_done, 0);

	vtb_map64_clear(&s->written);
	vtb_map64_clear(&s->stood);
	vtb_map64_clear(&s->reached);
	if (r < 0 || x->n_events > EVENTS_MOST)
		return r;
	memset(s->depends, 0, s->n_depends * sizeof(*s->depends));
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (!vtb_event_is_operation(e))
			continue;
		s->depends[e->thread] += e->thread == thread;
		if (!carries(s, e))
			continue;
		if (vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			live(s, e);
		else
			r = touch(s, e, e->thread == thread);
	}
	return r;
}

bool aim_comes_anyway(const struct aim *s, uint32_t other, uint32_t var, bool writes, uint32_t done, bool fresh)
{
	uint64_t reached;

	if (!vtb_map64_get(&s->reached, (uint64_t)var << 32 | other, &reached))
		return !fresh;
	return (writes ? reached >> 32 : (uint32_t)reached) <= done;
}
