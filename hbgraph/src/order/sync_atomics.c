/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sync order's rules for C11 atomics. Per location: `released`, what a load that reads the current value and
 * acquires learns (the clocks of all heads of its release sequence), and `second`, the clock of the head that `thread`
 * made, which is all that stays when that thread stores relaxed. Traces are sequentially consistent: a load reads the
 * last store. A plain store to an atomic (its initialisation) is not looked at.
 */
#include "syncorder_priv.h"

#include <errno.h>

static struct sync_object *place_of(struct vtb_syncorder *so, const struct vtb_event *e, int *r)
{
	struct sync_object *o;

	*r = 0;
	if (e->var != VTB_NONE)
		o = sync_object_at(so, SYNC_VAR, e->var);
	else if (e->addr && !(e->flags & VTB_EVF_ADDR_UNKNOWN))
		o = sync_object_at(so, e->flags & VTB_EVF_ADDR_SYMBOLIC ? SYNC_SYMBOLIC : SYNC_ADDR, e->addr);
	else
		return NULL;
	*r = o ? 0 : -ENOMEM;
	return o;
}

static int join(struct vtb_vclock *clock, const struct vtb_vclock *other)
{
	return vtb_vclock_join(clock, other) < 0 ? -ENOMEM : 0;
}

/* What a later acquire fence of this thread will learn stays aside until then. */
static int load(struct sync_thread *t, const struct vtb_event *e, const struct sync_object *o)
{
	return e->flags & VTB_EVF_ACQUIRES ? sync_learn(t, &o->released) : join(&t->gathered, &o->released);
}

static int head(struct sync_thread *t, uint32_t thread, struct sync_object *o)
{
	o->thread = thread;
	return sync_set(t, thread, &o->second);
}

static int store(const struct vtb_syncorder *so, struct sync_thread *t, const struct vtb_event *e,
                 struct sync_object *o)
{
	sync_forget(&o->released);
	if (e->flags & VTB_EVF_RELEASES) {
		if (head(t, e->thread, o) < 0)
			return -ENOMEM;
	} else if (o->thread != e->thread || so->flags & VTB_SYNCORDER_STORES_END) {
		o->thread = VTB_NONE;
		sync_forget(&o->second);
	}
	if (join(&o->released, &o->second) < 0)
		return -ENOMEM;
	return join(&o->released, &t->fenced);
}

/* Goes on with every sequence there is, and may head one more. */
static int modify(struct sync_thread *t, const struct vtb_event *e, struct sync_object *o)
{
	const int learned = load(t, e, o);

	if (learned < 0)
		return learned;
	if (e->flags & VTB_EVF_RELEASES) {
		if (o->thread == VTB_NONE || o->thread == e->thread)
			if (head(t, e->thread, o) < 0)
				return -ENOMEM;
		if (sync_tell(t, e->thread, &o->released) < 0)
			return -ENOMEM;
	}
	return join(&o->released, &t->fenced) < 0 ? -ENOMEM : learned;
}

static int fence(struct sync_thread *t, const struct vtb_event *e)
{
	int r = 0;

	if (e->flags & VTB_EVF_ACQUIRES)
		r = sync_learn(t, &t->gathered);
	if (r >= 0 && e->flags & VTB_EVF_RELEASES && sync_set(t, e->thread, &t->fenced) < 0)
		r = -ENOMEM;
	return r;
}

/* The fast path of a function's static: the initialiser's end is a store to its guard. */
static int load_guard(struct vtb_syncorder *so, const struct vtb_event *e)
{
	const struct sync_object *o;

	if (!so->once || !(e->flags & VTB_EVF_ACQUIRES) || e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN))
		return 0;
	o = sync_object_at(so, SYNC_ONCE, e->addr);
	return o ? sync_learn(&so->threads[e->thread], &o->released) : -ENOMEM;
}

int sync_feed_atomic(struct vtb_syncorder *so, const struct vtb_event *e)
{
	struct sync_thread *t = &so->threads[e->thread];
	struct sync_object *o;
	int r;

	if (e->kind == VTB_E_FENCE)
		return fence(t, e);
	o = place_of(so, e, &r);
	if (!o)
		return r;
	switch (e->kind) {
	case VTB_E_ATOMIC_STORE:
		return store(so, t, e, o);
	case VTB_E_ATOMIC_RMW:
		return modify(t, e, o);
	default:
		r = load(t, e, o);
		return sync_both(r, r < 0 ? r : load_guard(so, e));
	}
}
