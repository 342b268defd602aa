/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syncorder_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

int vtb_syncorder_new(const struct vtb_symtab *tab, uint32_t flags, struct vtb_syncorder **ret)
{
	struct vtb_syncorder *so = calloc(1, sizeof(*so));

	if (!so)
		return -ENOMEM;
	so->tab = tab;
	so->flags = flags;
	*ret = so;
	return 0;
}

void vtb_syncorder_free(struct vtb_syncorder *so)
{
	if (!so)
		return;
	for (size_t i = 0; i < so->n_threads; i++) {
		vtb_vclock_fini(&so->threads[i].clock);
		vtb_vclock_fini(&so->threads[i].fenced);
		vtb_vclock_fini(&so->threads[i].gathered);
		vtb_vclock_fini(&so->threads[i].start);
		vtb_vclock_fini(&so->threads[i].end);
	}
	for (size_t i = 0; i < so->n_objects; i++) {
		vtb_vclock_fini(&so->objects[i].released);
		vtb_vclock_fini(&so->objects[i].second);
	}
	vtb_vclock_fini(&so->sent);
	free(so->threads);
	free(so->objects);
	vtb_map64_fini(&so->by_key);
	free(so);
}

static int reach_thread(struct vtb_syncorder *so, uint32_t thread)
{
	while (so->n_threads <= thread) {
		if (vtb_array_room(so, threads) < 0)
			return -ENOMEM;
		so->threads[so->n_threads++] = (struct sync_thread){ 0 };
	}
	return 0;
}

struct sync_object *sync_object_at(struct vtb_syncorder *so, enum sync_space space, uint64_t key)
{
	const uint32_t fresh = (uint32_t)so->n_objects;
	uint64_t *at = vtb_map64_put(&so->by_key, key ^ (uint64_t)space << 62, fresh);

	if (!at)
		return NULL;
	if (*at == fresh) {
		if (vtb_array_room(so, objects) < 0)
			return NULL;
		so->objects[so->n_objects++] = (struct sync_object){ .thread = VTB_NONE };
	}
	return &so->objects[*at];
}

struct sync_object *sync_object_of(struct vtb_syncorder *so, const struct vtb_event *e, int *r)
{
	struct sync_object *object;

	*r = 0;
	if (e->var != VTB_NONE)
		object = sync_object_at(so, SYNC_VAR, e->var);
	else if (e->addr && !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN)))
		object = sync_object_at(so, SYNC_ADDR, e->addr);
	else
		return NULL;
	if (!object)
		*r = -ENOMEM;
	return object;
}

int sync_learn(struct sync_thread *t, const struct vtb_vclock *clock)
{
	bool news = false;

	for (uint32_t i = 0; i < clock->len && !news; i++)
		news = clock->count[i] > vtb_vclock_get(&t->clock, i);
	if (!news)
		return 0;
	return vtb_vclock_join(&t->clock, clock) < 0 ? -ENOMEM : 1;
}

/* The thread's own entry counts up to the event being fed: that is what others learn from a release. */
static int raise_own(struct sync_thread *t, uint32_t thread)
{
	if (thread >= t->clock.len && vtb_vclock_tick(&t->clock, thread) < 0)
		return -ENOMEM;
	t->clock.count[thread] = t->count;
	return 0;
}

int sync_tell(struct sync_thread *t, uint32_t thread, struct vtb_vclock *clock)
{
	if (raise_own(t, thread) < 0)
		return -ENOMEM;
	return vtb_vclock_join(clock, &t->clock) < 0 ? -ENOMEM : 0;
}

int sync_set(struct sync_thread *t, uint32_t thread, struct vtb_vclock *clock)
{
	sync_forget(clock);
	return sync_tell(t, thread, clock);
}

void sync_forget(struct vtb_vclock *clock)
{
	if (clock->len)
		memset(clock->count, 0, clock->len * sizeof(*clock->count));
}

/* The thread that a create or join is about. */
static uint32_t target_of(const struct vtb_syncorder *so, const struct vtb_event *e)
{
	const struct vtb_symtab *tab = so->tab;
	const struct vtb_object *object;

	if (!tab || e->var >= tab->n_variables || tab->variables[e->var].object >= tab->n_objects)
		return VTB_NONE;
	object = &tab->objects[tab->variables[e->var].object];
	return object->kind == VTB_OBJ_THREAD && object->thread < VTB_THREADS_LIMIT ? object->thread : VTB_NONE;
}

static int feed_begin_end(struct vtb_syncorder *so, const struct vtb_event *e)
{
	struct sync_thread *t = &so->threads[e->thread];

	return e->kind == VTB_E_THREAD_BEGIN ? sync_learn(t, &t->start) : sync_tell(t, e->thread, &t->end);
}

static int feed_create_join(struct vtb_syncorder *so, const struct vtb_event *e, uint32_t target)
{
	struct sync_thread *t;

	if (reach_thread(so, target) < 0)
		return -ENOMEM;
	t = &so->threads[e->thread];
	return e->kind == VTB_E_THREAD_CREATE ? sync_tell(t, e->thread, &so->threads[target].start)
	                                      : sync_learn(t, &so->threads[target].end);
}

/* Without a table that says which thread the variable stands for, the variable itself hands over the clock. */
static int feed_thread_variable(struct vtb_syncorder *so, const struct vtb_event *e)
{
	struct sync_thread *t = &so->threads[e->thread];
	int r;
	struct sync_object *object = sync_object_of(so, e, &r);

	if (!object)
		return r;
	switch (e->kind) {
	case VTB_E_THREAD_CREATE:
		return sync_tell(t, e->thread, &object->released);
	case VTB_E_THREAD_BEGIN:
		return sync_learn(t, &object->released);
	case VTB_E_THREAD_END:
		return sync_tell(t, e->thread, &object->second);
	default:
		return sync_learn(t, &object->second);
	}
}

static int feed_thread(struct vtb_syncorder *so, const struct vtb_event *e)
{
	const uint32_t target = target_of(so, e);
	int r = 0;

	switch (e->kind) {
	case VTB_E_THREAD_CREATE:
	case VTB_E_THREAD_JOIN:
		if (!(e->flags & (VTB_EVF_ACQUIRES | VTB_EVF_RELEASES)))
			return 0;
		return target == VTB_NONE ? feed_thread_variable(so, e) : feed_create_join(so, e, target);
	case VTB_E_THREAD_BEGIN:
	case VTB_E_THREAD_END:
		if (target == VTB_NONE && e->var != VTB_NONE)
			r = feed_thread_variable(so, e);
		return sync_both(r, feed_begin_end(so, e));
	default: /* a cancellation reaches its target through the target's own end */
		return 0;
	}
}

int vtb_syncorder_feed(struct vtb_syncorder *so, const struct vtb_event *e)
{
	const struct vtb_event_info *info;

	if (e->thread >= so->n_threads && reach_thread(so, e->thread) < 0)
		return -ENOMEM;
	so->threads[e->thread].count++;
	if (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE)
		return 0;
	info = vtb_event_info(e->kind);
	if (!info)
		return 0;
	if (info->family == VTB_FAMILY_THREAD)
		return feed_thread(so, e);
	if (so->flags & VTB_SYNCORDER_THREADS_ONLY)
		return 0;
	return info->family == VTB_FAMILY_ATOMIC ? sync_feed_atomic(so, e) : sync_feed_object(so, e, info);
}

uint32_t vtb_syncorder_count(const struct vtb_syncorder *so, uint32_t thread)
{
	return thread < so->n_threads ? so->threads[thread].count : 0;
}

uint32_t vtb_syncorder_knows(const struct vtb_syncorder *so, uint32_t thread, uint32_t other)
{
	if (thread == other)
		return vtb_syncorder_count(so, thread);
	return thread < so->n_threads ? (uint32_t)vtb_vclock_get(&so->threads[thread].clock, other) : 0;
}

const struct vtb_vclock *vtb_syncorder_clock(const struct vtb_syncorder *so, uint32_t thread)
{
	static const struct vtb_vclock nothing;

	return thread < so->n_threads ? &so->threads[thread].clock : &nothing;
}
