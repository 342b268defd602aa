/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who can go on. An operation costs what it changes, not what there is:
 *
 *   by_slot    one bit a thread: the enabled ones in order of creation (policy random)
 *   places     the best-ranked enabled thread (schedule/rank_places.c)
 *   waits      threads that stand at an operation, in a list by the address whose change may make it possible, or in
 * `anything`
 *
 * After an operation on an object, only the threads that wait there and those in `anything` are looked at again. A
 * deadline may pass without an operation: `next_deadline` is not above any of those who stand in a list.
 */
#include "schedule/rank_places.h"
#include "run_records.h"
#include "wake_source.h"

#define BUCKETS_LOG2 6u
#define BUCKETS (1u << BUCKETS_LOG2)

struct list {
	struct vtb_rt_thread *first, *last;
};

static uint64_t by_slot[VTB_RT_THREADS_MAX / 64] VTB_HISTORY;
uint32_t vtb_ready_n VTB_HISTORY;
static struct list waits[BUCKETS] VTB_HISTORY, anything VTB_HISTORY;
static uint64_t next_deadline VTB_HISTORY;

/* ---- the enabled ones */

static inline void change(struct vtb_rt_thread *t)
{
	t->sched.enabled = !t->sched.enabled;
	by_slot[t->base.slot / 64] ^= 1ull << t->base.slot % 64;
	vtb_ready_n += t->sched.enabled ? 1u : UINT32_MAX;
	if (vtb_places_kept)
		vtb_places_change(t->sched.rank, t->sched.enabled ? t : NULL);
}

void vtb_ready_change(struct vtb_rt_thread *t)
{
	change(t);
}

static void set_all(const uint64_t *slots, bool enabled)
{
	for (uint32_t i = 0; i < (vtb_rt.n_threads + 63) / 64; i++)
		for (uint64_t word = slots[i]; word; word &= word - 1)
			vtb_ready_set(vtb_rt.threads[i * 64 + (uint32_t)__builtin_ctzll(word)], enabled);
}

void vtb_ready_begin(uint64_t listed, uint64_t demotions)
{
	uint64_t before[VTB_RT_THREADS_MAX / 64];

	if (!vtb_rt.n_threads) {
		next_deadline = UINT64_MAX;
		vtb_places_begin(listed, demotions);
		return;
	}
	memcpy(before, by_slot, sizeof(before));
	set_all(before, false);
	vtb_places_begin(listed, demotions);
	set_all(before, true);
}

void vtb_ready_rank(struct vtb_rt_thread *t, uint64_t place)
{
	const bool enabled = t->sched.enabled;

	vtb_ready_set(t, false);
	t->sched.rank = place;
	vtb_ready_set(t, enabled);
}

void vtb_ready_by_rank(void)
{
	if (!vtb_places_kept)
		vtb_ready_begin(vtb_sched.schedule->ranks, 0);
}

struct vtb_rt_thread *vtb_ready_best(void)
{
	return vtb_ready_n ? vtb_places_best() : NULL;
}

struct vtb_rt_thread *vtb_ready_best_but(struct vtb_rt_thread *t)
{
	const bool enabled = t->sched.enabled;
	struct vtb_rt_thread *best;

	vtb_ready_set(t, false);
	best = vtb_ready_best();
	vtb_ready_set(t, enabled);
	return best;
}

const uint64_t *vtb_ready_slots(void)
{
	return by_slot;
}

static inline struct vtb_rt_thread *nth_of_word(uint32_t i, uint32_t n)
{
	uint64_t word = by_slot[i];

	while (n--)
		word &= word - 1;
	return vtb_rt.threads[i * 64 + (uint32_t)__builtin_ctzll(word)];
}

static __attribute__((noinline)) struct vtb_rt_thread *nth_of_many(uint32_t n)
{
	uint32_t i = 0;

	/* counting bits is a function where the processor may have no instruction for it */
	for (uint32_t here; n >= (here = (uint32_t)__builtin_popcountll(by_slot[i])); i++)
		n -= here;
	return nth_of_word(i, n);
}

struct vtb_rt_thread *vtb_ready_nth(uint32_t n)
{
	return VTB_LIKELY(vtb_rt.n_threads <= 64) ? nth_of_word(0, n) : nth_of_many(n);
}

/* ---- looking again */

static inline bool is_possible(const struct vtb_rt_thread *t)
{
	const struct vtb_call *call = t->sched.call;

	if (t->base.state != VTB_T_ALIVE || !call)
		return false;
	if (call->prim && call->prim->ready && !t->sched.interrupted && !call->interrupted &&
	    !call->prim->ready(t, call))
		return false;
	return !VTB_UNLIKELY(vtb_sched.schedule->constraints) || vtb_schedule_allows(t);
}

bool vtb_ready_possible(const struct vtb_rt_thread *t)
{
	return is_possible(t);
}

static inline bool can_go(const struct vtb_rt_thread *t)
{
	if (!is_possible(t))
		return false;
	return !t->sched.spinning || t->sched.interrupted || !vtb_fair_waits(t);
}

/* Facts go into the stream as if the running thread wrote them: no SWITCH record in between. */
static inline void update(struct vtb_rt_thread *t)
{
	const bool can = can_go(t);

	if (can == t->sched.enabled)
		return;
	change(t);
	if (t->base.state == VTB_T_ALIVE && t->sched.call)
		vtb_sched_tell_ready(can ? VTB_E_UNBLOCK : VTB_E_BLOCK, t,
		                     can ? vtb_sched.unblocks
		                         : t->sched.call->kind | (t->sched.deadline ? VTB_BLOCK_ARMED : 0u));
}

void vtb_ready_update(struct vtb_rt_thread *t)
{
	update(t);
}

/* ---- who waits where */

static struct list *bucket(const void *at)
{
	return &waits[((uint64_t)at >> 3) * 0x9e3779b97f4a7c15ull >> (64 - BUCKETS_LOG2)];
}

static const void *place_of(const struct vtb_rt_thread *t)
{
	const struct vtb_primitive *prim = t->sched.call->prim;

	if (t->sched.spinning || !prim || !prim->waits_at)
		return NULL;
	return VTB_LIKELY(prim->waits_at == vtb_ctl_at_object || prim->waits_at == vtb_ctl_alike_at_object)
	           ? t->sched.call->obj
	           : prim->waits_at(t, t->sched.call);
}

/* Of whom the answer is that of all others at the same object, as long as nothing of its own comes in between: the
 * primitive; else NULL. */
static const struct vtb_primitive *alike(const struct vtb_call *call)
{
	const struct vtb_primitive *prim = call->prim;
	const bool is = prim && prim->waits_at == vtb_ctl_alike_at_object && !call->interrupted;

	return is && !vtb_sched.schedule->constraints ? prim : NULL;
}

static void put(struct vtb_rt_thread *t, const void *at)
{
	struct list *l = at ? bucket(at) : &anything;

	t->sched.waits_at = at;
	t->sched.waits = true;
	t->sched.alike = alike(t->sched.call);
	t->sched.waits_before = l->last;
	t->sched.waits_after = NULL;
	*(l->last ? &l->last->sched.waits_after : &l->first) = t;
	l->last = t;
}

static void take(struct vtb_rt_thread *t)
{
	struct list *l = t->sched.waits_at ? bucket(t->sched.waits_at) : &anything;

	*(t->sched.waits_before ? &t->sched.waits_before->sched.waits_after : &l->first) = t->sched.waits_after;
	*(t->sched.waits_after ? &t->sched.waits_after->sched.waits_before : &l->last) = t->sched.waits_before;
	t->sched.waits = false;
}

void vtb_ready_wait(struct vtb_rt_thread *t)
{
	put(t, place_of(t));
	if (t->sched.deadline && t->sched.deadline < next_deadline)
		next_deadline = t->sched.deadline;
}

void vtb_ready_wait_no_more(struct vtb_rt_thread *t)
{
	take(t);
}

static void look(struct vtb_rt_thread *t)
{
	const void *at;

	update(t);
	if (!t->sched.waits)
		return;
	at = place_of(t);
	if (at == t->sched.waits_at)
		return;
	take(t);
	put(t, at);
}

/* Who waits like `asked` can go on if that one can. */
static inline bool is_like(const struct vtb_rt_thread *t, const struct vtb_rt_thread *asked)
{
	return t->sched.alike && t->sched.alike == asked->sched.alike && t->base.state == VTB_T_ALIVE &&
	       !t->sched.interrupted && !t->sched.spinning && !t->sched.deadline;
}

/* `told`: the last record is of one who did as `asked`. True: it is now. */
static inline bool do_as(struct vtb_rt_thread *t, const struct vtb_rt_thread *asked, bool told)
{
	const bool can = asked->sched.enabled;

	if (t->sched.enabled == can)
		return told;
	change(t);
	if (!told || !vtb_event_ready_too(t))
		vtb_event_ready(can ? VTB_E_UNBLOCK : VTB_E_BLOCK, t,
		                can ? vtb_sched.unblocks : asked->sched.call->kind);
	return true;
}

static __attribute__((noinline)) void look_at_some(const struct list *l, const void *at)
{
	const struct vtb_rt_thread *asked = NULL;
	bool told = false;

	for (struct vtb_rt_thread *t = l->first, *next; t; t = next) {
		next = t->sched.waits_after;
		if (t->sched.waits_at != at || t == vtb_sched.running)
			continue;
		if (asked && is_like(t, asked)) {
			told = do_as(t, asked, told);
			continue;
		}
		look(t);
		told = false;
		if (is_like(t, t))
			asked = t;
	}
}

/* Most lists are empty. */
static inline void look_at(const struct list *l, const void *at)
{
	if (l->first)
		look_at_some(l, at);
}

void vtb_ready_look_at_all(void)
{
	vtb_stretch_end();
	VTB_EACH_SOURCE(s, tell)
	s->tell();
	next_deadline = UINT64_MAX;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->sched.waits && t->sched.deadline > vtb_sched.now && t->sched.deadline < next_deadline)
			next_deadline = t->sched.deadline;
		if (t != vtb_sched.running && t->base.state == VTB_T_ALIVE && t->sched.call)
			look(t);
	}
}

void vtb_sched_changed(const void *object)
{
	vtb_stretch_end();
	look_at(bucket(object), object);
}

void vtb_ready_after(const struct vtb_call *call)
{
	if (!call->prim || !call->prim->local || vtb_sched.now >= next_deadline ||
	    VTB_UNLIKELY(vtb_sched.schedule->constraints)) {
		vtb_ready_look_at_all();
		return;
	}
	vtb_sched_changed(call->obj);
	if (call->arg)
		vtb_sched_changed((const void *)call->arg);
	look_at(&anything, NULL);
}

void vtb_ready_look_at_held(void)
{
	look_at(&anything, NULL);
}

bool vtb_ready_alone_at(const void *object)
{
	if (anything.first || vtb_sched.now >= next_deadline)
		return false;
	for (const struct vtb_rt_thread *t = bucket(object)->first; t; t = t->sched.waits_after)
		if (t->sched.waits_at == object)
			return false;
	return true;
}

const void *vtb_ctl_at_object(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return call->obj;
}

const void *vtb_ctl_alike_at_object(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return call->obj;
}
