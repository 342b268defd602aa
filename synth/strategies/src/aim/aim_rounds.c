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

/* It has looked there at place `from`, and does at place `to`: a round lies between them. All events in between are its
 * own? */
static bool is_known(const struct aim *s, uint32_t from, uint32_t to)
{
	return s->ops[to] - s->ops[from] == to - from;
}

/* A place lies in a round if one that ends behind it has begun there, or before. Rounds may be as long as the run. */
static void mark_rounds(struct aim *s)
{
	uint32_t begin = UINT32_MAX; /* of those that end behind k, the first */

	for (uint32_t k = (uint32_t)s->n_ops; k-- > 0;) {
		s->rounds[k] |= begin <= k ? AIM_ROUND_AGAIN : 0;
		begin = s->round_begins[k] < begin ? s->round_begins[k] : begin;
	}
}

int aim_read_rounds(struct aim_look *l)
{
	struct aim *s = l->s;
	uint32_t since = 0; /* it has only looked */

	vtb_map64_clear(&s->looked);
	if (vtb_array_extend(s, rounds, s->n_ops, 0) < 0 || vtb_array_extend(s, round_begins, s->n_ops, 0) < 0)
		return -ENOMEM;
	for (uint32_t k = 0; k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];
		uint64_t *last;

		s->rounds[k] = 0;
		s->round_begins[k] = UINT32_MAX;
		if (!only_looks(e)) {
			since = k + 1;
			continue;
		}
		last = vtb_map64_put(&s->looked, vtb_mix64(e->site) + e->var, 0);
		if (!last)
			return -ENOMEM;
		if (*last > since) {
			s->round_begins[k] = (uint32_t)*last - 1;
			s->rounds[k] |= is_known(s, s->round_begins[k], k) ? AIM_ROUND_KNOWN : 0;
		}
		*last = k + 1u;
	}
	mark_rounds(s);
	return 0;
}
