/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rounds of a thread that waits for others by looking again and again:
 *
 *      load turn = 1 | yield | load turn = 1 | yield | load turn = 0 | ...
 *
 * What it has read in a round it reads again, so it matters little that somebody changes it behind its back. While
 * nobody else goes on the next round is the last one once more.
 */
#include <errno.h>

#include "aim.h"
#include "vtb/rng.h"

static bool only_looks(const struct vtb_event *e)
{
	return e->kind == VTB_E_YIELD || (vtb_event_info(e->kind)->family <= VTB_FAMILY_ATOMIC && !aim_writes(e));
}

/* It has looked there at place `from`, and does at place `to`: a round lies between them. */
static void note_round(struct aim *s, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++)
		s->rounds[k] |= AIM_ROUND_AGAIN;
	if (s->ops[to] - s->ops[from] == to - from) /* all events in between are its own */
		s->rounds[to] |= AIM_ROUND_KNOWN;
}

int aim_read_rounds(struct aim_look *l)
{
	struct aim *s = l->s;

	vtb_map64_clear(&s->looked);
	if (vtb_array_extend(s, rounds, s->n_ops, 0) < 0)
		return -ENOMEM;
	for (uint32_t k = 0; k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];
		uint64_t *last;

		s->rounds[k] = 0;
		if (!only_looks(e)) {
			vtb_map64_clear(&s->looked);
			continue;
		}
		last = vtb_map64_put(&s->looked, vtb_mix64(e->site) + e->var, 0);
		if (!last)
			return -ENOMEM;
		if (*last)
			note_round(s, (uint32_t)*last - 1, k);
		*last = k + 1u;
	}
	return 0;
}
