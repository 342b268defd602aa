/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stop of the strategy cvt is worth, beside what influence.h says: guesses that rank. */
#include "strategy_cvt.h"

/* As far as is known: a mutex was just taken, or data touched that is only touched under a lock. Whoever wants that
 * lock waits, and to all others it is as if the stop had come before the section. (If another lock is asked for next,
 * this is where a deadlock begins.) */
static bool is_inside(const struct cvt *s, const struct vtb_exec *x, uint32_t before, uint32_t point)
{
	const struct vtb_event *e = &x->events[before];
	const struct vtb_event_info *done = vtb_event_info(e->kind), *next = vtb_event_info(x->events[point].kind);
	const bool takes = done->family == VTB_FAMILY_MUTEX && done->flags & VTB_EV_ACQUIRE;

	if (next->family != VTB_FAMILY_MEMORY && !(next->flags & VTB_EV_RELEASE))
		return false;
	return takes || vtb_coverage_class(s->space->coverage, e->var) == VTB_COVERAGE_DATA;
}

/* How often the run had been there before, as a stage of coverage.h. */
static uint8_t late(const struct cvt *s, const struct vtb_event *e)
{
	const uint64_t n = visits_of(&s->visits, e->site, e->var);

	return (uint8_t)vtb_coverage_turn_stage(n ? (uint32_t)n - 1 : 0); /* this one was counted */
}

/* Most runs lead to no new item, and nobody needs to know this of them. */
static int look_who_notices(struct cvt *s, const struct vtb_exec *x)
{
	if (s->looked)
		return 0;
	s->looked = true;
	return vtb_influence_begin(&s->influence, x, s->space->tab);
}

int cvt_judge(struct cvt *s, const struct vtb_exec *x, uint32_t before, uint32_t point, struct cvt_item *item)
{
	const struct vtb_event *e = &x->events[before];
	int r = look_who_notices(s, x);

	if (r < 0)
		return r;
	item->dull = !vtb_influences_after(&s->influence, e->thread, point) || is_inside(s, x, before, point);
	item->late = late(s, e);
	return 0;
}

void cvt_worth_fini(struct cvt *s)
{
	vtb_influence_fini(&s->influence);
	visits_fini(&s->visits);
}
