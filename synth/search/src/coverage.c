/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "vtb/array.h"

#define NOBODYS_LIFE                 \
	((struct vtb_coverage_life){ \
	    .creator = VTB_NONE, .joined_by = VTB_NONE, .locks = { VTB_NONE, VTB_NONE, VTB_NONE, VTB_NONE } })

void vtb_coverage_fini(struct vtb_coverage *c)
{
	free(c->vars);
	free(c->ops);
	free(c->now);
	free(c->lives);
	*c = (struct vtb_coverage){ 0 };
}

static int room_for_thread(struct vtb_coverage *c, uint32_t thread)
{
	const size_t n = (size_t)thread + 1;

	if (vtb_array_extend(c, lives, n, NOBODYS_LIFE) < 0 || vtb_array_extend(c, now, n, 0) < 0 ||
	    vtb_array_extend(c, ops, n, 0) < 0)
		return -ENOMEM;
	if (c->n_threads <= thread)
		c->n_threads = thread + 1;
	return 0;
}

static uint32_t handle_thread(const struct vtb_coverage *c, uint32_t var)
{
	const uint32_t object = c->tab && var < c->tab->n_variables ? c->tab->variables[var].object : VTB_NONE;

	return object != VTB_NONE && object < c->tab->n_objects && c->tab->objects[object].kind == VTB_OBJ_THREAD
	           ? c->tab->objects[object].thread
	           : VTB_NONE;
}

static inline bool is_life(const struct vtb_event *e)
{
	return e->kind == VTB_E_THREAD_CREATE || e->kind == VTB_E_THREAD_JOIN;
}

static int note_life(struct vtb_coverage *c, const struct vtb_event *e)
{
	const uint32_t thread = handle_thread(c, e->var);

	if (thread == VTB_NONE)
		return 0;
	if (thread >= c->n_ops && room_for_thread(c, thread) < 0)
		return -ENOMEM;
	if (e->kind == VTB_E_THREAD_JOIN) {
		c->lives[thread].joined_by = e->thread;
		c->lives[thread].joined_op = c->now[e->thread];
	} else {
		c->lives[thread].creator = e->thread;
		c->lives[thread].created_op = c->now[e->thread];
	}
	return 0;
}

/* Had `thread` not been created yet when `by` had done `op` operations, by it or by somebody whom it created later? */
static bool born_after(const struct vtb_coverage *c, uint32_t thread, uint32_t by, uint32_t op)
{
	for (; thread != VTB_NONE; thread = c->lives[thread].creator)
		if (c->lives[thread].creator == by)
			return op <= c->lives[thread].created_op;
	return false;
}

/* Has the access taken place before the thread was born, or has who made it been joined since: by the thread, by
 * somebody whom it has joined, or by somebody before the thread was born? */
static bool ordered(const struct vtb_coverage *c, const struct vtb_coverage_access *access, uint32_t thread)
{
	uint32_t by = access->thread, op = access->op;

	while (by != VTB_NONE) {
		if (by == thread || born_after(c, thread, by, op))
			return true;
		op = c->lives[by].joined_op;
		by = c->lives[by].joined_by;
	}
	return false;
}

static bool common_lock(const uint32_t *a, const uint32_t *b)
{
	for (uint32_t i = 0; i < VTB_COVERAGE_LOCKS; i++)
		for (uint32_t j = 0; a[i] != VTB_NONE && j < VTB_COVERAGE_LOCKS; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

static void replace_lock(struct vtb_coverage_life *life, uint32_t old, uint32_t new)
{
	for (uint32_t i = 0; i < VTB_COVERAGE_LOCKS; i++)
		if (life->locks[i] == old) {
			life->locks[i] = new;
			return;
		}
}

/* What the thread holds after the event. A wait gives the mutex back and takes it again. */
static void note_lock(struct vtb_coverage *c, const struct vtb_event *e, const struct vtb_event_info *info)
{
	const bool cond = e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
	struct vtb_coverage_life *life = &c->lives[e->thread];

	if (info->family != VTB_FAMILY_MUTEX && info->family != VTB_FAMILY_RWLOCK && !cond)
		return;
	if (info->flags & VTB_EV_RELEASE)
		replace_lock(life, cond ? e->aux : e->var, VTB_NONE);
	else if (info->flags & VTB_EV_ACQUIRE && (cond || !(e->flags & VTB_EVF_VALUE) || e->value == 0))
		replace_lock(life, VTB_NONE, cond ? e->aux : e->var);
}

/* The thread comes after that access of another: could it have come before? */
static void note_pair(struct vtb_coverage *c, struct vtb_coverage_var *v, const struct vtb_coverage_access *access,
                      uint32_t thread)
{
	if (ordered(c, access, thread))
		return;
	c->newly_shared += !v->shared;
	c->regroup |= !v->shared;
	v->shared = true;
	v->bare |= !common_lock(access->locks, c->lives[thread].locks);
}

static inline bool is_anothers(const struct vtb_coverage_access *access, uint32_t thread)
{
	return access->thread != thread && access->thread != VTB_NONE;
}

/* Who writes comes after the last access, and everybody after the last write, which its own thread may have read since.
 * Not asked any more once it is known to be shared without a common lock. */
static inline void note_sharing(struct vtb_coverage *c, struct vtb_coverage_var *v, const struct vtb_event *e,
                                bool writes)
{
	if (is_anothers(&v->written, e->thread))
		note_pair(c, v, &v->written, e->thread);
	if (writes && is_anothers(&v->last, e->thread))
		note_pair(c, v, &v->last, e->thread);
	v->last.thread = e->thread;
	v->last.op = c->now[e->thread];
	memcpy(v->last.locks, c->lives[e->thread].locks, sizeof(v->last.locks));
	if (writes)
		v->written = v->last;
}

/* The first access of this run to it. */
static void begin_var(struct vtb_coverage *c, struct vtb_coverage_var *v, uint32_t thread)
{
	if (v->thread == VTB_NONE)
		v->thread = thread;
	v->last.thread = v->written.thread = VTB_NONE;
	v->now = 0;
	v->run = c->runs;
}

static inline int count_access(struct vtb_coverage *c, const struct vtb_event *e, enum vtb_family family, bool writes)
{
	struct vtb_coverage_var *v;

	if (e->var == VTB_NONE)
		return 0;
	if (e->var >= c->n_vars &&
	    vtb_array_extend(c, vars, (size_t)e->var + 1, (struct vtb_coverage_var){ .thread = VTB_NONE }) < 0)
		return -ENOMEM;
	v = &c->vars[e->var];
	if (v->run != c->runs)
		begin_var(c, v, e->thread);
	if (!v->bare)
		note_sharing(c, v, e, writes);
	if (!(v->places & vtb_kinds_bit(e->site))) {
		c->regroup |= v->shared;
		v->places |= vtb_kinds_bit(e->site);
	}
	v->family = (uint8_t)family;
	if (++v->now > v->most)
		v->most = v->now;
	return 0;
}

static inline void count_operation(struct vtb_coverage *c, const struct vtb_event *e)
{
	if (++c->now[e->thread] > c->ops[e->thread])
		c->ops[e->thread] = c->now[e->thread];
}

/* Threads that were born and never went on: they could have at the end. */
static int count_waiting(struct vtb_coverage *c, const struct vtb_exec *x)
{
	int r = 0;

	for (uint32_t word = 0; x->n_enabled >= x->stride && word < x->stride; word++)
		for (uint64_t bits = x->enabled[x->n_enabled - x->stride + word]; r >= 0 && bits; bits &= bits - 1)
			r = room_for_thread(c, word * 64 + (uint32_t)__builtin_ctzll(bits));
	for (size_t i = 0; r >= 0 && i < x->n_pending; i++)
		r = room_for_thread(c, x->pending[i].thread);
	return r;
}

static int add_event(struct vtb_coverage *c, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (e->kind == VTB_E_LOST || e->kind == VTB_E_FAIL || !info)
		return 0;
	if (e->thread >= c->n_ops && room_for_thread(c, e->thread) < 0)
		return -ENOMEM;
	if (e->kind == VTB_E_OWNED) {
		c->now[e->thread] += (uint32_t)e->value;
		return 0;
	}
	if (count_access(c, e, info->family, info->flags & VTB_EV_WRITES) < 0 || (is_life(e) && note_life(c, e) < 0))
		return -ENOMEM;
	note_lock(c, e, info);
	count_operation(c, e);
	c->births_by_others |= e->kind == VTB_E_THREAD_CREATE && e->thread != 0;
	return 0;
}

/* By far the most. */
static inline bool is_plain(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE;
}

static inline int add_plain(struct vtb_coverage *c, const struct vtb_event *e)
{
	const int r = count_access(c, e, VTB_FAMILY_MEMORY, e->kind == VTB_E_WRITE);

	count_operation(c, e);
	return r;
}

int vtb_coverage_add(struct vtb_coverage *c, const struct vtb_exec *x)
{
	uint64_t owned = 0; /* operations more than there are rows */

	c->runs++;
	if (c->n_now)
		memset(c->now, 0, c->n_now * sizeof(*c->now));
	for (size_t i = 0; i < c->n_lives; i++)
		c->lives[i] = NOBODYS_LIFE;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if ((is_plain(e) && e->thread < c->n_ops ? add_plain(c, e) : add_event(c, e)) < 0)
			return -ENOMEM;
		owned += e->kind == VTB_E_OWNED ? e->value - 1 : 0;
	}
	if (x->n_events + owned > c->points)
		c->points = x->n_events + owned;
	if (c->regroup && vtb_kinds_turns(c) < 0)
		return -ENOMEM;
	c->regroup = false;
	return count_waiting(c, x);
}
