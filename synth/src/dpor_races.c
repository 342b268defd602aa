/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations of a run depend on each other, and who must be tried where to turn them round. See strategy_dpor.c. */
#include "dpor.h"

static bool is_exit(const struct vtb_event *e)
{
	return e->kind == VTB_E_PROCESS_EXIT;
}

static bool touches_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

static bool is_io(const struct vtb_event *e)
{
	return e->kind == VTB_E_IO_READ || e->kind == VTB_E_IO_WRITE;
}

/* A read may be a poll of many descriptors, of which its event names none. */
static bool reads_somewhere(const struct vtb_event *a, const struct vtb_event *b)
{
	return (a->kind == VTB_E_IO_READ && is_io(b)) || (b->kind == VTB_E_IO_READ && is_io(a));
}

bool vtb_dpor_dependent(const struct vtb_event *a, const struct vtb_event *b)
{
	if (is_exit(a) || is_exit(b))
		return true;
	if (vtb_event_conflict(a, b) || reads_somewhere(a, b))
		return true;
	if (touches_mutex(a) && a->aux != VTB_NONE && (a->aux == b->var || (touches_mutex(b) && a->aux == b->aux)))
		return true;
	return touches_mutex(b) && b->aux != VTB_NONE && b->aux == a->var;
}

static bool gives_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_UNLOCK || e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_RWUNLOCK;
}

static bool must_wait_for_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_LOCK || e->kind == VTB_E_COND_WAKE || e->kind == VTB_E_WRLOCK;
}

/* False only if `a` cannot take place in any state in which `b` can: then the pair cannot be turned round. `a` is the earlier one. */
static bool may_be_coenabled(const struct vtb_event *a, const struct vtb_event *b)
{
	if (a->kind == VTB_E_COND_WAIT && must_wait_for_mutex(b))
		return a->aux == VTB_NONE || a->aux != (touches_mutex(b) ? b->aux : b->var); /* who waits held it until then */
	if (gives_mutex(a) && must_wait_for_mutex(b))
		return false;
	if (a->kind == VTB_E_THREAD_END && b->kind == VTB_E_THREAD_JOIN && a->var == b->var)
		return false;
	return !(a->kind == VTB_E_THREAD_CREATE && (b->kind == VTB_E_THREAD_BEGIN || b->kind == VTB_E_THREAD_END) && a->var == b->var);
}

/* ---- race analysis */

static const uint32_t *clock_of(const struct dpor *d, size_t level)
{
	return d->clocks + level * 64 * d->stride;
}

/* Does the operation of level i happen before the one of level j (which may be level + 1 == 0: none)? */
static bool happens_before(const struct dpor *d, size_t i, uint32_t j_plus_one)
{
	return j_plus_one && clock_of(d, j_plus_one - 1)[d->levels[i].chosen] >= d->levels[i].index;
}

/* Is there an operation after level i, not behind i's, not of q's own, that q's first one there (level j) depends on? Then q
 * does not begin what can go on without i's operation. */
static bool waits_for_another(const struct dpor *d, size_t i, size_t j)
{
	for (size_t k = i + 1; k < j; k++)
		if (!happens_before(d, i, (uint32_t)k + 1) && happens_before(d, k, (uint32_t)j + 1))
			return true;
	return false;
}

/* The same for `e`, if its thread does nothing between level i and e: its clock is not known, but what it depends on is. */
static bool first_waits(const struct dpor *d, size_t i, const struct vtb_event *e, size_t end)
{
	for (size_t k = i + 1; k < end; k++)
		if (!happens_before(d, i, (uint32_t)k + 1) && vtb_dpor_dependent(&d->levels[k].event, e))
			return true;
	return false;
}

/* q can be the first at state i of the operations that do not depend on the one of level i: 1 if it was or will be tried there, 0 if it
 * was not, -1 if it cannot go on there. */
static int standing(const struct dpor *d, size_t i, uint32_t q)
{
	if (!vtb_dpor_in_set(vtb_dpor_set(d, d->enabled, i), q))
		return -1;
	return vtb_dpor_in_set(vtb_dpor_set(d, d->backtrack, i), q);
}

/*
 * Turn the operation of level i and `e` round: at state i, what does not depend on i's operation goes first, then e. Any thread
 * that can begin that sequence will do, and one that is tried there anyway is enough; a thread that cannot begin it is not, since it may be
 * asleep there for another reason. False if e cannot come before i's operation: nobody can begin.
 */
static bool turn_round(struct dpor *d, size_t i, const struct vtb_event *e, uint32_t before, size_t end)
{
	uint32_t first = VTB_NONE;
	int can;

	for (size_t j = i + 1; j < end; j++) {
		const struct level *l = &d->levels[j];

		if (l->before > i || happens_before(d, i, (uint32_t)j + 1) || waits_for_another(d, i, j))
			continue;
		can = standing(d, i, l->chosen);
		if (can > 0)
			return true;
		if (can == 0 && (first == VTB_NONE || l->chosen == e->thread))
			first = l->chosen;
	}
	if (before <= i && !first_waits(d, i, e, end)) {
		can = standing(d, i, e->thread);
		if (can > 0)
			return true;
		if (can == 0)
			first = e->thread;
	}
	if (first != VTB_NONE)
		vtb_dpor_add(vtb_dpor_set(d, d->backtrack, i), first);
	return first != VTB_NONE;
}

/* Does level i come before one that was turned round with e already? Then turning that one is the way to this one. */
static bool behind_another(const struct dpor *d, size_t i, const size_t *turned, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (happens_before(d, i, (uint32_t)turned[k] + 1))
			return true;
	return false;
}

/* Could `e` take place where level i's operation did? A lock could if that operation took it: it was free. Of other operations that
 * may have to wait it is not known: what lies further back must be turned round as well. */
static bool could_go_there(const struct level *l, const struct vtb_event *e)
{
	const struct vtb_event *i = &l->event;
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (e->kind == VTB_E_LOCK && i->var == e->var)
		return i->kind == VTB_E_LOCK || (i->kind == VTB_E_TRYLOCK && i->value == 0);
	return info && !(info->flags & VTB_EV_BLOCKS);
}

#define TURNED_MAX 64u /* more are turned round without that check: needless runs, nothing missed */

/* Every operation before level `end` that can be turned round with `e`, whose thread's last operation is `before`. */
void vtb_dpor_find_races(struct dpor *d, const struct vtb_event *e, uint32_t before, size_t end)
{
	size_t turned[TURNED_MAX], n = 0;

	for (size_t i = end; i-- > 0;) {
		const struct level *l = &d->levels[i];

		if (l->chosen == e->thread || !vtb_dpor_dependent(&l->event, e) || !may_be_coenabled(&l->event, e))
			continue;
		if (happens_before(d, i, before) || behind_another(d, i, turned, n))
			continue;
		if (turn_round(d, i, e, before, end) && could_go_there(l, e) && n < TURNED_MAX)
			turned[n++] = i;
	}
}

