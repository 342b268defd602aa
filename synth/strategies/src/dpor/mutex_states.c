/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mutex_states.h"

enum again { NOT_KNOWN, GOES_ON, HANGS };

void vtb_mutex_states_fini(struct vtb_mutex_states *s)
{
	vtb_map64_fini(&s->owners);
	vtb_map64_fini(&s->again);
}

void vtb_mutex_states_clear(struct vtb_mutex_states *s)
{
	vtb_map64_clear(&s->owners);
}

static uint64_t key_of(const struct vtb_event *e)
{
	return e->var + UINT64_C(1);
}

static uint64_t get(const struct vtb_map64 *map, const struct vtb_event *e)
{
	const uint64_t *at = vtb_map64_at(map, key_of(e));

	return at ? *at : 0;
}

static uint64_t owned(uint32_t thread, uint64_t times)
{
	return times ? times << 32 | (thread + 1u) : 0;
}

static bool is_mine(const struct vtb_mutex_states *s, const struct vtb_event *e)
{
	return (uint32_t)get(&s->owners, e) == e->thread + 1u;
}

bool vtb_mutex_states_free(const struct vtb_mutex_states *s, const struct vtb_event *lock)
{
	return is_mine(s, lock) ? get(&s->again, lock) == GOES_ON : !get(&s->owners, lock);
}

bool vtb_mutex_states_unsure(const struct vtb_mutex_states *s, const struct vtb_event *e)
{
	return e->kind == VTB_E_LOCK && is_mine(s, e) && get(&s->again, e) == NOT_KNOWN;
}

int vtb_mutex_states_learn(struct vtb_mutex_states *s, const struct vtb_event *lock, bool goes_on)
{
	return vtb_map64_set(&s->again, key_of(lock), goes_on ? GOES_ON : HANGS);
}

/* A recursive mutex is given back as often as it was taken; one that checks for errors refuses. */
int vtb_mutex_states_apply(struct vtb_mutex_states *s, const struct vtb_event *e)
{
	const uint64_t owner = get(&s->owners, e), times = owner >> 32;
	const bool mine = is_mine(s, e);

	if (e->kind == VTB_E_MUTEX_INIT || e->kind == VTB_E_MUTEX_DESTROY)
		return owner != 0;
	if (e->kind == VTB_E_UNLOCK && e->value)
		return mine;
	if (e->value)
		return e->kind == VTB_E_LOCK ? !mine : !owner;
	if (owner && !mine)
		return 1;
	if (e->kind == VTB_E_UNLOCK)
		return mine ? vtb_map64_set(&s->owners, key_of(e), owned(e->thread, times - 1)) : 1;
	return vtb_map64_set(&s->owners, key_of(e), owned(e->thread, times + 1));
}
