/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sync order's rules for locks, conditions, semaphores, barriers, once, futexes, signals, input and output. */
#include "syncorder_priv.h"

#include <errno.h>
#include <string.h>

static struct sync_thread *thread_of(struct vtb_syncorder *so, const struct vtb_event *e)
{
	return &so->threads[e->thread];
}

static int feed_rwlock(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	struct sync_thread *t = thread_of(so, e);
	int r;

	if (e->kind == VTB_E_RWUNLOCK) {
		const bool wrote = o->thread == e->thread;

		if (wrote)
			o->thread = VTB_NONE;
		return sync_tell(t, e->thread, wrote ? &o->released : &o->second);
	}
	r = sync_learn(t, &o->released);
	if (r < 0 || e->kind == VTB_E_RDLOCK || e->kind == VTB_E_TRYRDLOCK)
		return r;
	o->thread = e->thread;
	return sync_both(r, sync_learn(t, &o->second)); /* only a writer waits for the readers */
}

/* A thread can arrive for the next round only after it has left this one. So the first to leave closes the round, and
 * that many threads leave it as had arrived. */
static int feed_barrier(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	struct sync_thread *t = thread_of(so, e);

	if (e->kind == VTB_E_BARRIER_ARRIVE) {
		o->arrived++;
		return sync_tell(t, e->thread, &o->second);
	}
	if (!o->to_leave && o->arrived) {
		const struct vtb_vclock open = o->second;

		o->second = o->released; /* its array serves the next round */
		o->released = open;
		sync_forget(&o->second);
		o->to_leave = o->arrived;
		o->arrived = 0;
	}
	if (o->to_leave)
		o->to_leave--;
	return sync_learn(t, &o->released);
}

/* The mutex of a wait stands in aux. */
static int feed_cond_mutex(struct vtb_syncorder *so, const struct vtb_event *e)
{
	struct sync_object *mutex;

	if (e->aux == VTB_NONE)
		return 0;
	mutex = sync_object_at(so, SYNC_VAR, e->aux);
	if (!mutex)
		return -ENOMEM;
	return e->kind == VTB_E_COND_WAIT ? sync_tell(thread_of(so, e), e->thread, &mutex->released)
	                                  : sync_learn(thread_of(so, e), &mutex->released);
}

static int feed_cond(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	const bool told = !(e->flags & VTB_EVF_VALUE) || e->value; /* a signal that woke nobody orders nothing */
	int r = 0;

	switch (e->kind) {
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
		return told && o ? sync_tell(thread_of(so, e), e->thread, &o->released) : 0;
	case VTB_E_COND_WAKE:
		if (o && (!(e->flags & VTB_EVF_VALUE) || !e->value)) /* not a timeout */
			r = sync_learn(thread_of(so, e), &o->released);
		return sync_both(r, feed_cond_mutex(so, e));
	default:
		return feed_cond_mutex(so, e);
	}
}

static int feed_futex(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	if (e->kind == VTB_E_FUTEX_WAKE)
		return sync_tell(thread_of(so, e), e->thread, &o->released);
	if (e->kind == VTB_E_FUTEX_WOKEN && !e->value)
		return sync_learn(thread_of(so, e), &o->released);
	return 0;
}

static int feed_plain(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	struct sync_thread *t = thread_of(so, e);
	int r = 0;

	if (e->flags & VTB_EVF_ACQUIRES)
		r = sync_learn(t, &o->released);
	if (r >= 0 && e->flags & VTB_EVF_RELEASES && sync_tell(t, e->thread, &o->released) < 0)
		r = -ENOMEM;
	if (r >= 0 && e->kind == VTB_E_SIGNAL_SEND) /* a signalfd has it */
		r = sync_tell(t, e->thread, &so->sent);
	return r;
}

/* The guard of a function's static is looked at by an atomic load before once-begin is called: that load learns by the
 * address, as it has another variable. */
static int feed_once(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	const int r = feed_plain(so, e, o);

	if (r < 0 || e->kind != VTB_E_ONCE_END || !e->addr || e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN))
		return r;
	o = sync_object_at(so, SYNC_ONCE, e->addr);
	so->once = true;
	return o && sync_tell(thread_of(so, e), e->thread, &o->released) == 0 ? r : -ENOMEM;
}

/* What goes to the terminal no thread of the program reads. */
static bool leaves_the_program(const struct vtb_syncorder *so, const struct vtb_event *e)
{
	const char *name = so->tab && e->var < so->tab->n_variables ? so->tab->variables[e->var].name : "";

	return strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0;
}

/* Data that comes over a pipe, a socket or a counter orders its sender before its receiver. A poll of several
 * descriptors, a wait at an epoll or a signalfd has an object of its own, to which nobody writes: what it found may be
 * from anybody who wrote anything. */
static int feed_io(struct vtb_syncorder *so, const struct vtb_event *e, struct sync_object *o)
{
	struct sync_thread *t = thread_of(so, e);

	if (e->flags & VTB_EVF_ACQUIRES)
		return sync_learn(t, !o->released.len ? &so->sent : &o->released);
	if (sync_tell(t, e->thread, &o->released) < 0)
		return -ENOMEM;
	return leaves_the_program(so, e) ? 0 : sync_tell(t, e->thread, &so->sent);
}

int sync_feed_object(struct vtb_syncorder *so, const struct vtb_event *e, const struct vtb_event_info *info)
{
	struct sync_object *o;
	int r;

	if (!(e->flags & (VTB_EVF_ACQUIRES | VTB_EVF_RELEASES)))
		return 0;
	o = sync_object_of(so, e, &r);
	if (r < 0 || (!o && info->family != VTB_FAMILY_COND))
		return r;
	switch (info->family) {
	case VTB_FAMILY_RWLOCK:
		return feed_rwlock(so, e, o);
	case VTB_FAMILY_BARRIER:
		return feed_barrier(so, e, o);
	case VTB_FAMILY_COND:
		return feed_cond(so, e, o);
	case VTB_FAMILY_FUTEX:
		return feed_futex(so, e, o);
	case VTB_FAMILY_ONCE:
		return feed_once(so, e, o);
	case VTB_FAMILY_IO:
		return feed_io(so, e, o);
	default:
		return feed_plain(so, e, o);
	}
}
