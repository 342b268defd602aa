/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Could an operation that may have to wait take place elsewhere? What it waits for is decided by the operations on its
 * object, and those that matter come one after the other in every run of a class: so the object's state after each of
 * them is kept with it (dpor_touch), and read where the operation would be. What is not known about an object (a
 * semaphore's value at the start) leaves the question open.
 */
#include <errno.h>

#include "dpor.h"

#define UNKNOWN UINT32_MAX
#define LOOK_BACK 256u /* touches of a semaphore */

static bool failed(const struct vtb_event *e)
{
	return e->value && e->value != EOWNERDEAD;
}

/* ---- states: of a mutex owner + 1 and depth, of a read-write lock writer + 1 and readers, of a semaphore what was
 * posted less what was taken */

static uint32_t holder(uint32_t state)
{
	return state >> 16;
}

static uint32_t held_by(uint32_t thread, uint32_t times)
{
	return times ? (thread + 1) << 16 | times : 0;
}

static uint32_t take(uint32_t state, uint32_t thread)
{
	return held_by(thread, holder(state) == thread + 1 ? (state & 0xffff) + 1 : 1);
}

static uint32_t give(uint32_t state, uint32_t thread)
{
	return holder(state) == thread + 1 ? held_by(thread, (state & 0xffff) - 1) : UNKNOWN;
}

static uint32_t mutex_after(uint32_t state, const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
		return failed(e) ? state : take(state, e->thread);
	case VTB_E_COND_WAKE:
		return take(state, e->thread);
	case VTB_E_UNLOCK:
	case VTB_E_COND_WAIT:
		return failed(e) ? state : give(state, e->thread);
	default:
		return 0;
	}
}

static uint32_t rwlock_after(uint32_t state, const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_RDLOCK:
	case VTB_E_TRYRDLOCK:
		return failed(e) ? state : state + 1;
	case VTB_E_WRLOCK:
	case VTB_E_TRYWRLOCK:
		return failed(e) ? state : held_by(e->thread, 1);
	case VTB_E_RWUNLOCK:
		return failed(e) ? state : holder(state) ? give(state, e->thread) : state ? state - 1 : UNKNOWN;
	default:
		return 0;
	}
}

static uint32_t semaphore_after(uint32_t state, const struct vtb_event *e)
{
	if (e->kind == VTB_E_SEM_POST)
		return state + 1;
	if (e->kind == VTB_E_SEM_WAIT || e->kind == VTB_E_SEM_TRYWAIT)
		return e->value ? state : state - 1;
	return UNKNOWN; /* made anew */
}

uint32_t vtb_dpor_object_after(uint32_t state, const struct vtb_event *e, uint32_t object)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	const bool mutex = info->family == VTB_FAMILY_MUTEX || (info->family == VTB_FAMILY_COND && object == e->aux);

	if (state == UNKNOWN && e->kind != VTB_E_MUTEX_INIT && e->kind != VTB_E_RWLOCK_INIT)
		return state;
	if (mutex)
		return mutex_after(state, e);
	if (info->family == VTB_FAMILY_RWLOCK)
		return rwlock_after(state, e);
	if (info->family == VTB_FAMILY_SEM)
		return semaphore_after(state, e);
	if (info->family == VTB_FAMILY_ONCE)
		return e->kind == VTB_E_ONCE_BEGIN && e->value == 1 ? held_by(e->thread, 1)
		       : e->kind == VTB_E_ONCE_END                  ? 0
		                                                    : state;
	return info->family == VTB_FAMILY_THREAD ? state | (e->kind == VTB_E_THREAD_END) : state;
}

/* ---- histories, seen from the state before level i with all that goes on beside it */

static bool is_after(const struct dpor *d, size_t level, size_t i)
{
	const struct dpor_level *l = &d->levels[i];

	return level == i || (level > i && dpor_clock(d, level)[l->op.event.thread] >= l->index);
}

/* The newest touch of the object, or DPOR_NONE. */
static uint32_t newest_beside(const struct dpor *d, uint32_t object, size_t i)
{
	uint32_t t = vtb_dpor_newest(d, object);

	while (t != DPOR_NONE && is_after(d, d->touches[t].level, i))
		t = d->touches[t].below;
	return t;
}

static uint32_t state_beside(const struct dpor *d, uint32_t object, size_t i)
{
	const uint32_t t = object == VTB_NONE ? DPOR_NONE : newest_beside(d, object, i);

	return object == VTB_NONE ? UNKNOWN : t == DPOR_NONE ? 0 : d->touches[t].state;
}

static enum dpor_feasible free_for(uint32_t state, uint32_t thread)
{
	return state == UNKNOWN ? DPOR_MAY : !state || holder(state) == thread + 1 ? DPOR_CAN : DPOR_CANNOT;
}

/* Has somebody woken who waits since level `since`? `sure`: at last it was. */
static enum dpor_feasible woken_beside(const struct dpor *d, const struct vtb_event *b, size_t i, size_t since,
                                       bool sure)
{
	uint32_t all = 0, beside = 0;
	bool everybody = false;

	for (uint32_t t = vtb_dpor_newest(d, b->var); t != DPOR_NONE && d->touches[t].level > since;
	     t = d->touches[t].below) {
		const unsigned kind = d->levels[d->touches[t].level].op.event.kind;
		const bool wakes = (kind == VTB_E_COND_SIGNAL || kind == VTB_E_COND_BROADCAST);

		all += wakes;
		beside += wakes && !is_after(d, d->touches[t].level, i);
		everybody |= kind == VTB_E_COND_BROADCAST && !is_after(d, d->touches[t].level, i);
	}
	return !beside ? DPOR_CANNOT : everybody || (beside == all && sure) ? DPOR_CAN : DPOR_MAY;
}

static enum dpor_feasible wake_feasible(const struct dpor *d, size_t i, const struct vtb_event *b, uint32_t before,
                                        bool pending)
{
	const bool sure = !pending || dpor_enabled(d, d->n_levels - 1, b->thread);
	const uint32_t mutex = vtb_dpor_newest(d, b->aux);
	enum dpor_feasible free, woken;

	if (before > i || !before || b->var == VTB_NONE || b->aux == VTB_NONE)
		return DPOR_MAY;
	if (!sure && !d->levels[d->n_levels - 1].op.world && mutex != DPOR_NONE &&
	    !d->touches[mutex].state) /* nobody has the mutex in the end: nobody has woken it */
		return DPOR_CANNOT;
	free = free_for(state_beside(d, b->aux, i), b->thread);
	woken = dpor_enabled(d, i, b->thread) ? DPOR_CAN : woken_beside(d, b, i, before - 1, sure);
	return free < woken ? free : woken;
}

/* What is known of its value: it was enough wherever one was taken, and 0 wherever none was to be had. */
static enum dpor_feasible semaphore_feasible(const struct dpor *d, size_t i, uint32_t object, bool pending)
{
	const uint32_t state = state_beside(d, object, i);
	uint32_t t = object == VTB_NONE ? DPOR_NONE : vtb_dpor_newest(d, object);
	const uint32_t last = t == DPOR_NONE ? 0 : d->touches[t].state; /* in which it took place */

	if (!pending && state != UNKNOWN && last != UNKNOWN && (int32_t)(state - last) >= 0)
		return DPOR_CAN;
	for (uint32_t n = 0; t != DPOR_NONE && state != UNKNOWN && n < LOOK_BACK; n++, t = d->touches[t].below) {
		const struct vtb_event *e = &d->levels[d->touches[t].level].op.event;
		const int32_t more = (int32_t)(state - d->touches[t].state); /* than after that operation */

		if ((e->kind == VTB_E_SEM_WAIT || e->kind == VTB_E_SEM_TRYWAIT) && !e->value && more > 0)
			return DPOR_CAN;
		if (e->kind == VTB_E_SEM_TRYWAIT && e->value)
			return more > 0 ? DPOR_CAN : DPOR_CANNOT;
	}
	return DPOR_MAY;
}

/* After the run, or where it took place. */
static enum dpor_feasible in_the_end(const struct dpor *d, const struct vtb_event *b, bool pending)
{
	const struct dpor_op *last = &d->levels[d->n_levels - 1].op;

	if (!pending)
		return DPOR_CAN;
	if (!vtb_dpor_is_global(last)) /* nobody could go on */
		return DPOR_CANNOT;
	if (last->event.thread == b->thread || vtb_dpor_touch(&last->event, b))
		return DPOR_MAY;
	return dpor_enabled(d, d->n_levels - 1, b->thread) ? DPOR_CAN : DPOR_CANNOT;
}

/* Whether there is input may be decided by whatever is done to files and descriptors (dpor_cells.c). */
static uint32_t decided_by(const struct vtb_event *b)
{
	return b->kind == VTB_E_IO_READ || vtb_event_changes_io(b->kind) ? DPOR_IO_VAR : b->var;
}

/* Nothing is done to the object afterwards. */
static bool as_in_the_end(const struct dpor *d, uint32_t object, size_t i)
{
	return object != VTB_NONE && newest_beside(d, object, i) == vtb_dpor_newest(d, object);
}

static enum dpor_feasible by_state(const struct dpor *d, size_t i, const struct vtb_event *b, bool pending)
{
	const uint32_t state = state_beside(d, b->var, i), object = decided_by(b);

	if (as_in_the_end(d, object, i) && (b->kind != VTB_E_SIGNAL_HANDLE || as_in_the_end(d, DPOR_IO_VAR, i)))
		return in_the_end(d, b, pending);
	switch (b->kind) {
	case VTB_E_LOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_ONCE_BEGIN:
	case VTB_E_ONCE_FOUND:
		return free_for(state, b->thread);
	case VTB_E_RDLOCK:
		return state == UNKNOWN ? DPOR_MAY : holder(state) ? DPOR_CANNOT : DPOR_CAN;
	case VTB_E_THREAD_JOIN:
		return state == 1 ? DPOR_CAN : DPOR_CANNOT;
	case VTB_E_SEM_WAIT:
		return semaphore_feasible(d, i, b->var, pending);
	default:
		return DPOR_MAY;
	}
}

/* A pipe may be full, and no event says of which kind its stream is. */
static bool may_wait(const struct dpor *d, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && !(e->flags & VTB_EVF_TRY) &&
	       (info->flags & VTB_EV_BLOCKS || (vtb_event_changes_io(e->kind) && d->all->reads));
}

enum dpor_feasible vtb_dpor_feasible(const struct dpor *d, size_t i, const struct vtb_event *b, uint32_t before,
                                     bool pending)
{
	if (pending && i >= d->gone_from)
		return DPOR_CANNOT;
	if (!may_wait(d, b))
		return vtb_dpor_held_feasible(d, i, b, before);
	if (b->kind == VTB_E_COND_WAKE)
		return wake_feasible(d, i, b, before, pending);
	if (before > i || vtb_event_reads_io(b) || b->kind == VTB_E_SIGNAL_HANDLE ||
	    !vtb_dpor_touch(&d->levels[i].op.event, b))
		return by_state(d, i, b, pending);
	return dpor_enabled(d, i, b->thread)
	           ? DPOR_CAN
	           : DPOR_CANNOT; /* its thread stood there already, and nothing beside touches its object */
}
