/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that are held back because they spin (docs/algorithms.md, "Schedules"). One that has come round to the state
 * in which it was waits until something that it touched on its way, its *round*, is otherwise. Which of its operations
 * may have to wait so is decided by what it did and read alone; how long, by what stands in these words.
 *
 *     thread   read a   read b   read a   read b   (held at read a)   . . . . . . . .   read a
 *                                <--- round --->                      other: write b: lets it go on
 *
 * So such an operation comes after the one that let it go on, though the two may touch different things; and where
 * another order would have it earlier, it is a round that changes nothing if its thread is still held back there.
 */
#include "dpor.h"

#define ROUND_MAX 128u  /* operations */
#define BESIDE_MAX 512u /* operations looked at */

/* May it have left everything as it was? */
static bool may_leave(const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_READ:
	case VTB_E_WRITE:
	case VTB_E_ATOMIC_LOAD:
	case VTB_E_ATOMIC_STORE:
	case VTB_E_ATOMIC_RMW:
	case VTB_E_ATOMIC_CAS_FAIL:
	case VTB_E_SEM_VALUE:
	case VTB_E_FENCE:
	case VTB_E_YIELD:
	case VTB_E_SLEEP:
		return true;
	case VTB_E_TRYLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_SEM_TRYWAIT:
	case VTB_E_FUTEX_WAIT:
		return e->value;
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_THREAD_JOIN:
		return e->flags & VTB_EVF_TRY && e->value;
	default:
		return false;
	}
}

/* The first operation of the round that ends before `b`, whose thread's operation before is level `before` - 1: its
 * number in the thread's line; or DPOR_NONE: it comes to this place for the first time. */
static uint32_t round_before(const struct dpor *d, const struct vtb_event *b, uint32_t before)
{
	const struct dpor_line *line = &d->lines[b->thread];

	for (uint32_t n = before ? d->levels[before - 1].index : 0, k = 0; n-- > 0 && k < ROUND_MAX; k++) {
		const struct vtb_event *e = &d->levels[line->ops[n]].op.event;

		if (!may_leave(e))
			break;
		if (e->site == b->site && e->var == b->var)
			return n;
	}
	return DPOR_NONE;
}

static bool touches_round(const struct dpor *d, const struct dpor_line *line, uint32_t first, uint32_t end,
                          const struct dpor_op *op)
{
	for (uint32_t n = first; n < end; n++)
		if (vtb_dpor_dependent(&d->levels[line->ops[n]].op, op))
			return true;
	return false;
}

/* Does anything that goes on beside level i touch the round? */
static bool beside_touches(const struct dpor *d, size_t i, const struct dpor_line *line, uint32_t first, uint32_t end,
                           uint32_t thread)
{
	const struct dpor_level *l = &d->levels[i];

	if (d->n_levels - i > BESIDE_MAX)
		return true;
	for (size_t j = i + 1; j < d->n_levels; j++)
		if (d->levels[j].op.event.thread != thread && dpor_clock(d, j)[l->op.event.thread] < l->index &&
		    touches_round(d, line, first, end, &d->levels[j].op))
			return true;
	return false;
}

enum dpor_feasible vtb_dpor_held_feasible(const struct dpor *d, size_t i, const struct vtb_event *b, uint32_t before)
{
	const uint32_t first = round_before(d, b, before);

	if (first == DPOR_NONE)
		return DPOR_CAN;
	if (before > i || beside_touches(d, i, &d->lines[b->thread], first, d->levels[before - 1].index, b->thread))
		return DPOR_MAY;
	return dpor_enabled(d, i, b->thread) ? DPOR_CAN : DPOR_CANNOT;
}

uint32_t vtb_dpor_let_go_by(const struct dpor *d, const struct vtb_event *b, uint32_t before, size_t end)
{
	const struct vtb_event_info *info = vtb_event_info(b->kind);

	if (!d->held || !before || !info || (info->flags & VTB_EV_BLOCKS && !(b->flags & VTB_EVF_TRY)))
		return DPOR_NONE;
	for (size_t k = end; k-- > before;)
		if (!dpor_enabled(d, k, b->thread))
			return (uint32_t)k;
	return DPOR_NONE;
}
