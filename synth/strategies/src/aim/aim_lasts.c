/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who does what last in a run, by variable. */
#include <errno.h>

#include "aim.h"

#define BLOCK_MOST 4096u /* bytes of a block that are looked at when it is given back */

static bool is_shared(const struct vtb_event *e)
{
	return e->kind == VTB_E_RDLOCK || e->kind == VTB_E_TRYRDLOCK;
}

static void hold_rwlock(uint32_t *held, const struct vtb_event *e)
{
	const bool tries = e->kind == VTB_E_TRYRDLOCK || e->kind == VTB_E_TRYWRLOCK;

	if (tries && e->flags & VTB_EVF_VALUE && e->value)
		return;
	if (vtb_event_is(e, VTB_EV_ACQUIRE))
		*held = is_shared(e) ? e->var | AIM_SHARED : e->var;
	else if (vtb_event_is(e, VTB_EV_RELEASE) && (*held & ~AIM_SHARED) == e->var)
		*held = VTB_NONE;
}

/* One lock is enough to know of: the innermost. */
void aim_hold(uint32_t *held, const struct vtb_event *e)
{
	if (e->kind == VTB_E_COND_WAIT)
		*held = VTB_NONE;
	else if (e->kind == VTB_E_COND_WAKE)
		*held = e->aux;
	else if (vtb_event_info(e->kind)->family == VTB_FAMILY_RWLOCK)
		hold_rwlock(held, e);
	else if (vtb_event_info(e->kind)->family != VTB_FAMILY_MUTEX)
		return;
	else if (vtb_event_is(e, VTB_EV_ACQUIRE))
		*held = e->var;
	else if (vtb_event_is(e, VTB_EV_RELEASE) && *held == e->var)
		*held = VTB_NONE;
}

static bool is_data(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return family == VTB_FAMILY_MEMORY || family == VTB_FAMILY_ATOMIC;
}

bool aim_writes(const struct vtb_event *e)
{
	return !is_data(e) || vtb_event_is(e, VTB_EV_WRITES);
}

uint32_t aim_class_of(const struct aim *s, uint32_t thread)
{
	return thread < s->symmetry.n_class_of ? s->symmetry.class_of[thread] : thread;
}

/* A condition's waiter has to do with the mutex, too. */
uint32_t aim_other_var(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE ? e->aux : VTB_NONE;
}

/* ---- blocks, which are touched part by part, and given back as a whole */

static bool has_address(const struct vtb_event *e)
{
	return e->addr && !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN));
}

static int note_place(struct aim *s, const struct vtb_event *e, uint32_t var)
{
	uint64_t *first = has_address(e) ? vtb_map64_put(&s->by_place, e->addr / AIM_PLACE, 0) : NULL;

	if (!has_address(e) || var != e->var)
		return 0;
	if (!first || vtb_array_room(s, parts) < 0)
		return -ENOMEM;
	s->parts[s->n_parts++] = (struct aim_part){ e->addr, var, (uint32_t)*first };
	*first = s->n_parts;
	return 0;
}

bool aim_gives_back(const struct vtb_event *e, uint64_t addr)
{
	return e->kind == VTB_E_FREE && has_address(e) && addr >= e->addr && addr - e->addr < e->size;
}

/* Those of the chain that lie in the block are given back with it, and are no longer there. */
static int give_back(struct aim *s, const struct vtb_event *e, uint64_t *first)
{
	uint32_t kept = 0, next;

	for (uint32_t k = (uint32_t)*first; k; k = next) {
		struct aim_part *part = &s->parts[k - 1];

		next = part->next;
		if (!aim_gives_back(e, part->addr)) {
			part->next = kept;
			kept = k;
			continue;
		}
		if (vtb_array_room(s, given) < 0)
			return -ENOMEM;
		s->given[s->n_given++] = part->var;
	}
	*first = kept;
	return 0;
}

static int read_given(struct aim *s, const struct vtb_event *e, uint32_t i)
{
	const uint64_t begin = s->n_given, end = e->addr + (e->size < BLOCK_MOST ? e->size : BLOCK_MOST);
	int r = 0;

	for (uint64_t at = e->addr; r >= 0 && at < end; at += AIM_PLACE - at % AIM_PLACE) {
		uint64_t *first = vtb_map64_at(&s->by_place, at / AIM_PLACE);

		r = first ? give_back(s, e, first) : 0;
	}
	if (r >= 0 && !vtb_map64_put(&s->given_at, i, begin << 32 | (s->n_given - begin)))
		return -ENOMEM;
	return r;
}

const uint32_t *aim_given(const struct aim *s, uint32_t i, uint32_t *ret_n)
{
	uint64_t row = 0;

	vtb_map64_get(&s->given_at, i, &row);
	*ret_n = (uint32_t)row;
	return *ret_n ? &s->given[row >> 32] : NULL;
}

/* ---- rows */

uint32_t aim_block_of(const struct aim *s, uint32_t var)
{
	const struct vtb_symtab *tab = s->space->tab;
	const uint32_t object = var < tab->n_variables ? tab->variables[var].object : VTB_NONE;

	return object < tab->n_objects && tab->objects[object].kind == VTB_OBJ_HEAP ? object : VTB_NONE;
}

static struct aim_last *last_of(struct aim *s, const struct vtb_event *e, uint32_t var, uint32_t thread)
{
	const struct aim_ops none = { VTB_NONE, VTB_NONE };
	uint64_t *first = vtb_map64_put(&s->by_var, var, 0);
	uint32_t i = first ? (uint32_t)*first - 1 : VTB_NONE;

	while (i != VTB_NONE && s->lasts[i].thread != thread)
		i = s->lasts[i].next;
	if (i != VTB_NONE)
		return &s->lasts[i];
	if (!first || vtb_array_room(s, lasts) < 0 || (!*first && note_place(s, e, var) < 0))
		return NULL;
	s->lasts[s->n_lasts] = (struct aim_last){ thread, none, none, VTB_NONE, (uint32_t)*first - 1 };
	*first = ++s->n_lasts;
	return &s->lasts[s->n_lasts - 1];
}

/* Whoever joins a thread comes after its end with what comes next, but not after that of others. */
uint32_t aim_last_of(const struct aim *s, const struct aim_last *last, uint32_t thread, bool writes)
{
	const struct aim_life *life = thread < s->n_lives ? &s->lives[thread] : NULL;
	uint32_t at = writes ? last->late.written : last->late.touched;

	if (at == VTB_NONE || (life && life->joiner == last->thread && life->joined < at))
		at = writes ? last->ops.written : last->ops.touched;
	return life && life->creator == last->thread && at < life->created ? VTB_NONE : at;
}

bool aim_lives_at(const struct aim *s, uint32_t thread, uint32_t creator, uint32_t i)
{
	return thread >= s->n_lives || s->lives[thread].creator != creator || s->lives[thread].created < i;
}

/* Of each class the lowest thread stands for all, and its second for those that meet the lowest. */
static bool stands_for_others(const struct aim *s, uint32_t thread, uint32_t *second)
{
	const uint32_t class = aim_class_of(s, thread);

	if (class == thread)
		return true;
	if (second[class] == VTB_NONE)
		second[class] = thread;
	return second[class] == thread;
}

/* Of thread `by`. */
static int note(struct aim *s, const struct vtb_event *e, uint32_t by, uint32_t var, uint32_t i, bool joined)
{
	struct aim_last *last;
	struct aim_ops *ops;

	if (var == VTB_NONE || (by == e->thread && e->kind != VTB_E_FREE &&
	                        !vtb_coverage_shared(s->space->coverage, var) && aim_block_of(s, var) == VTB_NONE))
		return 0;
	last = last_of(s, e, var, by);
	if (!last)
		return -ENOMEM;
	ops = joined ? &last->late : &last->ops;
	ops->touched = i;
	if (!joined)
		last->lock = s->held[by];
	if (aim_writes(e) || e->kind == VTB_E_ATOMIC_CAS_FAIL) /* had it come in time it would have written */
		ops->written = i;
	return 0;
}

/* Who holds the lock shared keeps out only those who want it alone: a row of its own for these. */
static int note_alone(struct aim *s, const struct vtb_event *e, uint32_t i)
{
	struct aim_last *last;

	if (vtb_event_info(e->kind)->family != VTB_FAMILY_RWLOCK || !vtb_event_is(e, VTB_EV_ACQUIRE) || is_shared(e) ||
	    e->var == VTB_NONE || !vtb_coverage_shared(s->space->coverage, e->var))
		return 0;
	last = last_of(s, e, e->var | AIM_SHARED, e->thread);
	if (!last)
		return -ENOMEM;
	last->ops.touched = i;
	return 0;
}

/* The block is given back: that touches all of it. */
static int note_free(struct aim *s, const struct vtb_event *e, uint32_t i, bool joined)
{
	const uint32_t *given;
	uint32_t n;
	int r = e->kind == VTB_E_FREE && has_address(e) ? read_given(s, e, i) : 0;

	given = aim_given(s, i, &n);
	for (uint32_t k = 0; r >= 0 && k < n; k++)
		r = note(s, e, e->thread, given[k], i, joined);
	return r;
}

/* What a handler does comes when the signal is sent: it is as if the sender did it. */
static int note_handled(struct aim *s, const struct vtb_exec *x)
{
	uint32_t sender = VTB_NONE, thread = VTB_NONE, n = 0;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const enum vtb_family family = vtb_event_info(e->kind)->family;

		if (e->kind == VTB_E_SIGNAL_SEND)
			sender = e->thread;
		if (e->kind == VTB_E_SIGNAL_HANDLE && sender != VTB_NONE && sender != e->thread) {
			thread = e->thread;
			n = AIM_HANDLED;
		} else if (e->thread == thread && n && family != VTB_FAMILY_THREAD) {
			r = note(s, e, sender, e->var, i, false);
			n--;
		}
	}
	return r;
}

static int note_fresh(struct aim *s, const struct vtb_event *e, uint32_t i)
{
	const uint32_t block = aim_block_of(s, e->var);

	return block == VTB_NONE || vtb_map64_put(&s->fresh, block, i) ? 0 : -ENOMEM;
}

static void note_life(struct aim *s, const struct vtb_event *e, uint32_t i)
{
	const bool births = e->kind == VTB_E_THREAD_CREATE, joins = e->kind == VTB_E_THREAD_JOIN;
	const uint32_t other = births || joins ? aim_thread_of(s, e->var) : VTB_NONE;

	s->lives[e->thread].joins |= joins;
	if (other >= s->n_lives)
		return;
	if (births) {
		s->lives[other].creator = e->thread;
		s->lives[other].created = i;
	} else {
		s->lives[other].joiner = e->thread;
		s->lives[other].joined = i;
	}
}

int aim_read_lasts(struct aim *s, const struct vtb_exec *x, uint32_t *second)
{
	int r = 0;

	s->n_lasts = s->n_parts = s->n_given = 0;
	vtb_map64_clear(&s->by_var);
	vtb_map64_clear(&s->by_place);
	vtb_map64_clear(&s->given_at);
	vtb_map64_clear(&s->fresh);
	for (uint32_t t = 0; t < s->n_lives; t++)
		s->lives[t] = aim_unknown_life;
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		bool joined;

		note_life(s, e, i);
		r = note_fresh(s, e, i);
		joined = s->lives[e->thread].joins;
		if (r < 0 || !vtb_event_is_operation(e) || !stands_for_others(s, e->thread, second))
			continue;
		if (vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		aim_hold(&s->held[e->thread], e);
		r = note(s, e, e->thread, e->var, i, joined);
		r = r < 0 ? r : note(s, e, e->thread, aim_other_var(e), i, joined);
		r = r < 0 ? r : note_alone(s, e, i);
		r = r < 0 ? r : note_free(s, e, i, joined);
	}
	return r < 0 ? r : note_handled(s, x);
}
