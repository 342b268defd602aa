/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stops that lead to one class. */
#include <errno.h>

#include "aim.h"

enum { TOUCHED = 1, WRITTEN = 2 };

bool aim_is_equal(const struct aim *s, const struct aim_shot *shot)
{
	return shot->n_stops && vtb_bounded_map_has(&s->equal, aim_key_of(shot));
}

/* Memory is taken or given back, or it is not known what is touched: more may conflict with it than its variable. */
static bool is_wide(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return vtb_event_is_operation(e) && e->kind != VTB_E_YIELD &&
	       (e->var == VTB_NONE || family == VTB_FAMILY_HEAP || family == VTB_FAMILY_STACK);
}

/* What the others do while the thread stands at event `from`. *ret: the event at which it goes on, VTB_NONE: no stop
 * can be moved. */
static int read_meanwhile(struct aim *s, const struct vtb_exec *x, uint32_t thread, uint32_t from, uint32_t *ret)
{
	uint32_t i = from;

	vtb_map64_clear(&s->met);
	for (; i < x->n_events && x->events[i].thread != thread && !is_wide(&x->events[i]); i++) {
		uint64_t *bits = vtb_map64_put(&s->met, x->events[i].var, 0);

		if (!bits)
			return -ENOMEM;
		*bits |= TOUCHED | (aim_writes(&x->events[i]) ? WRITTEN : 0u);
	}
	*ret = i < x->n_events && x->events[i].thread != thread ? VTB_NONE : i;
	return 0;
}

/* Only data: another operation may let others go on, or wait. */
static bool commutes(const struct aim *s, const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;
	uint64_t bits = 0;

	if (family != VTB_FAMILY_MEMORY && family != VTB_FAMILY_ATOMIC)
		return false;
	vtb_map64_get(&s->met, e->var, &bits);
	return !(bits & (aim_writes(e) ? TOUCHED : WRITTEN));
}

static int note(struct aim *s, const struct aim_shot *shot, uint32_t place, uint32_t index)
{
	struct aim_shot other = *shot;
	uint64_t *met;

	other.stops[place].index = index;
	return vtb_bounded_map_add(&s->equal, aim_key_of(&other), 1, &met);
}

static bool is_next(const struct vtb_event *e, uint32_t thread)
{
	return e->thread == thread && vtb_event_is_operation(e);
}

static int note_stop(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x, uint32_t place)
{
	const struct aim_stop *stop = &shot->stops[place];
	const uint32_t from = aim_behind(x, stop);
	uint32_t index = stop->index, on = VTB_NONE;
	int r = from == VTB_NONE || stop->waits || stop->chance ? 0 : read_meanwhile(s, x, stop->thread, from, &on);

	if (r < 0 || on == VTB_NONE)
		return r;
	for (uint32_t i = on; r >= 0 && i < x->n_events; i++) {
		if (is_next(&x->events[i], stop->thread) && !commutes(s, &x->events[i]))
			break;
		r = is_next(&x->events[i], stop->thread) ? note(s, shot, place, ++index) : 0;
	}
	index = stop->index;
	for (uint32_t i = from; r >= 0 && i-- > 0;) {
		if (is_next(&x->events[i], stop->thread) && !commutes(s, &x->events[i]))
			break;
		r = is_next(&x->events[i], stop->thread) ? note(s, shot, place, --index) : 0;
	}
	return r;
}

int aim_note_equal(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < shot->n_stops; i++)
		r = note_stop(s, shot, x, i);
	return r;
}
