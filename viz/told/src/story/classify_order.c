/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two operations in the wrong order. */
#include "forced.h"
#include "vtb/classify.h"

#define READS_TRIED 8u        /* last accesses of the thread that failed */
#define PAIRS_TRIED 10000000u /* of a run of a million accesses there are more than anybody waits for */

/* A later operation, done or pending, of another thread that conflicts with event e. */
static size_t later_conflict(const struct vtb_exec *x, size_t e)
{
	for (size_t i = e + 1; i < x->n_events; i++)
		if (vtb_event_conflict(&x->events[e], &x->events[i]))
			return i;
	return VTB_EVENT_NONE;
}

static int64_t pending_conflict(const struct vtb_exec *x, size_t e)
{
	for (size_t i = 0; i < x->n_pending; i++)
		if (vtb_classify_is_data(&x->pending[i]) && vtb_event_conflict(&x->events[e], &x->pending[i]))
			return (int64_t)i;
	return -1;
}

/* The last operation of another thread before e that conflicts and that nothing but this schedule put there. */
static size_t earlier_conflict(const struct vtb_exec *x, struct vtb_forced *forced, size_t e)
{
	for (size_t i = e; i-- > 0;)
		if (vtb_event_conflict(&x->events[e], &x->events[i]) && !vtb_forced_is(forced, i, e))
			return i;
	return VTB_EVENT_NONE;
}

static enum vtb_pattern pair_pattern(const struct vtb_event *earlier)
{
	return earlier->kind == VTB_E_FREE ? VTB_PATTERN_USE_AFTER_FREE : VTB_PATTERN_ORDER;
}

/* An access of the thread that failed, and somebody's who came too late or too early. */
static bool around(const struct vtb_exec *x, struct vtb_forced *forced, size_t e, struct vtb_triple *ret)
{
	const size_t later = later_conflict(x, e), earlier = earlier_conflict(x, forced, e);
	const int64_t pending = pending_conflict(x, e);

	*ret = (struct vtb_triple){ .pattern = VTB_PATTERN_ORDER,
		                    .first = e,
		                    .intruder = VTB_EVENT_NONE,
		                    .second = VTB_EVENT_NONE,
		                    .pending = -1 };
	if (earlier != VTB_EVENT_NONE &&
	    (x->events[earlier].kind == VTB_E_FREE || (pending < 0 && later == VTB_EVENT_NONE))) {
		ret->pattern = pair_pattern(&x->events[earlier]);
		ret->first = earlier;
		ret->intruder = e;
		return true;
	}
	if (pending >= 0)
		ret->pending = pending;
	else if (later != VTB_EVENT_NONE && !vtb_forced_is(forced, e, later))
		ret->intruder = later;
	return ret->pending >= 0 || ret->intruder != VTB_EVENT_NONE;
}

/* The failing thread only saw the result: the last two conflicting operations of others on what it read. */
static bool among_others(const struct vtb_exec *x, struct vtb_forced *forced, const struct vtb_event *read, size_t end,
                         struct vtb_triple *ret)
{
	uint64_t pairs = 0;

	for (size_t i = end; i-- > 0 && pairs < PAIRS_TRIED; pairs++) {
		size_t earlier;

		if (!vtb_classify_is_data(&x->events[i]) || (read && !vtb_event_overlap(read, &x->events[i])))
			continue;
		earlier = earlier_conflict(x, forced, i);
		if (earlier == VTB_EVENT_NONE) {
			pairs += i;
			continue;
		}
		*ret = (struct vtb_triple){ .pattern = pair_pattern(&x->events[earlier]),
			                    .first = earlier,
			                    .intruder = i,
			                    .second = VTB_EVENT_NONE,
			                    .pending = -1 };
		return true;
	}
	return false;
}

static bool find_order(const struct vtb_exec *x, struct vtb_forced *forced, struct vtb_triple *ret)
{
	const size_t failure = vtb_classify_failure(x);
	unsigned tried = 0;

	if (failure == VTB_EVENT_NONE)
		return false;
	for (size_t i = failure + 1; i-- > 0 && tried < READS_TRIED;) {
		if (x->events[i].thread != x->events[failure].thread || !vtb_classify_is_data(&x->events[i]))
			continue;
		tried++;
		if (around(x, forced, i, ret) || among_others(x, forced, &x->events[i], i, ret))
			return true;
	}
	return among_others(x, forced, NULL, failure, ret);
}

bool vtb_classify_order(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_triple *ret)
{
	struct vtb_forced forced;
	bool found;

	vtb_forced_init(&forced, x, tab);
	found = find_order(x, &forced, ret);
	vtb_forced_fini(&forced);
	return found;
}
