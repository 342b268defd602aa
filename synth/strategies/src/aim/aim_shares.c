/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that takes one thing after the other from what others of its routine take from, too: in most runs the first
 * one takes all, and nobody meets anybody.
 *
 *      A  lock q | take | unlock q ........ work ........ lock q | take | unlock q ........ work
 *      B                             lock q | take | unlock q ........ work
 */
#include <errno.h>

#include "aim.h"
#include "vtb/rng.h"

#define COST_OF_SHARE 10u
#define COST_OF_LATER 3u /* another thing than the first */
#define SHARES_MOST 2u

static bool changes_data(const struct aim *s, const struct vtb_event *e)
{
	return vtb_event_info(e->kind)->family <= VTB_FAMILY_ATOMIC && aim_writes(e) &&
	       vtb_coverage_shared(s->space->coverage, e->var);
}

static uint64_t key_of(const struct vtb_event *lock)
{
	return vtb_mix64(lock->site) + lock->var;
}

/* Where the thread takes each lock at each place for the last time. */
static int note_last(struct aim_look *l)
{
	struct aim *s = l->s;

	vtb_map64_clear(&s->looked);
	for (uint32_t k = 0; k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];

		if (aim_is_lock(e) && vtb_event_is(e, VTB_EV_ACQUIRE) && vtb_map64_set(&s->looked, key_of(e), k) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Does the thread take that lock at that place again, behind `place`? */
static bool comes_back(const struct aim *s, uint32_t place, const struct vtb_event *lock)
{
	const uint64_t *last = vtb_map64_at(&s->looked, key_of(lock));

	return last && *last > place;
}

int aim_share_work(struct aim_look *l)
{
	const struct aim *s = l->s;
	const struct vtb_event *lock = NULL;
	uint32_t shares = 0;
	bool takes = false;
	int r = l->twin != VTB_NONE ? note_last(l) : 0;

	for (uint32_t k = 0; r >= 0 && l->twin != VTB_NONE && shares < SHARES_MOST && k < s->n_ops; k++) {
		const struct vtb_event *e = &l->x->events[s->ops[k]];

		if (aim_is_lock(e) && vtb_event_is(e, VTB_EV_ACQUIRE)) {
			lock = e;
			takes = false;
		} else if (lock && aim_is_lock(e) && e->var == lock->var) {
			if (takes && comes_back(s, k, lock))
				r = aim_shoot(l, k, e->var, l->twin, COST_OF_SHARE + COST_OF_LATER * shares++);
			lock = NULL;
		} else if (lock) {
			takes |= changes_data(s, e);
		}
	}
	return r;
}
