/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fairness by progress (decision 62). At an anchor a thread is held back if since its last arrival there
 *
 *     its registers and its stack are the same again,
 *     nobody else has changed anything,
 *     and every word of memory and every lock that it touched is as it was when it was first touched.
 *
 * Then the process is in the state in which it was, and a schedule on which the thread goes round is one without that
 * round: nothing is lost by holding it back until somebody changes what it touched. Time that passes is no change. What
 * no hook sees (a counter inside a library) is taken to be no part of this.
 *
 *     arrive at pc ...... at pc again ........... at pc, same state ── waits ── a word differs ── goes on
 *                         begin to track, state
 */
#include "progress.h"

#include "base.h"
#include "scheduler.h"

#define LIMIT_FIRST 4u
#define LIMIT_MAX 1024u /* operations of a round */
#define MISSES_MAX 16u  /* arrivals in ever new states: it computes */
#define REST 1024u      /* operations for which it is then left alone, or until it changes something */
#define OBJECT_WORDS 5u /* pthread_mutex_t */
#define RWLOCK_WORDS 7u

static uint64_t changes_of_others(const struct vtb_rt_thread *t)
{
	return vtb_sched.epoch - t->sched.own_epoch;
}

/* ---- what is touched */

static void touch(struct vtb_anchor *a, uint64_t addr, uint32_t size_log2)
{
	struct vtb_round *r = a->round;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->words[i].addr == addr && r->words[i].size_log2 == size_log2)
			return;
	if (r->n == VTB_ROUND_WORDS) {
		a->lost = true;
		return;
	}
	r->words[r->n++] = (struct vtb_round_word){ addr, vtb_rt_load(addr, size_log2), size_log2 };
}

static void touch_words(struct vtb_anchor *a, uint64_t addr, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		touch(a, addr + i * 8ull, 3);
}

/* What a C library's function reads or writes; more bytes than a round has words are not followed. */
static void touch_range(struct vtb_anchor *a, uint64_t addr, uint64_t size)
{
	uint64_t at = 0;

	a->lost |= size > 8ull * VTB_ROUND_WORDS;
	for (; at + 8 <= size && !a->lost; at += 8)
		touch(a, addr + at, 3);
	for (; at < size && !a->lost; at++)
		touch(a, addr + at, 0);
}

static void touch_object(struct vtb_anchor *a, const struct vtb_call *call)
{
	const uint64_t addr = (uint64_t)call->obj;

	switch (call->kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_UNLOCK:
		if (call->prim->name[0] == 's') /* a spin lock */
			touch(a, addr, 2);
		else
			touch_words(a, addr, OBJECT_WORDS);
		break;
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_RWUNLOCK:
		touch_words(a, addr, RWLOCK_WORDS);
		break;
	case VTB_E_SEM_TRYWAIT:
		touch_words(a, addr, 1);
		break;
	case VTB_E_FUTEX_WAIT:
		touch(a, addr, 2);
		break;
	default: /* seen when it is done */
		break;
	}
}

static void touch_memory(struct vtb_anchor *a, const struct vtb_call *call)
{
	const uint64_t addr = (uint64_t)call->obj;

	switch (call->kind) {
	case VTB_E_READ:
	case VTB_E_WRITE:
	case VTB_E_ATOMIC_LOAD:
	case VTB_E_ATOMIC_STORE:
	case VTB_E_ATOMIC_RMW:
	case VTB_E_ATOMIC_CAS_FAIL:
		break;
	case VTB_E_FENCE:
		return;
	default:
		a->lost = true;
		return;
	}
	if (call->size_log2 <= 3)
		touch(a, addr, call->size_log2);
	else if (call->size_log2 == 4)
		touch_words(a, addr, 2);
	else
		touch_range(a, addr, call->arg);
}

static bool is_unchanged(const struct vtb_anchor *a)
{
	const struct vtb_round *r = a->round;

	for (uint32_t i = 0; i < r->n; i++)
		if (vtb_rt_load(r->words[i].addr, (unsigned)r->words[i].size_log2) != r->words[i].value)
			return false;
	return true;
}

/* ---- anchors */

static void state_of(const struct vtb_rt_thread *t, uint64_t *ret)
{
	struct vtb_state_hash sum = { 0, 0 };

	vtb_stance_add(&sum, t, VTB_STATE_K1);
	sum = vtb_state_finish(sum);
	ret[0] = sum.lo;
	ret[1] = sum.hi;
}

static void note(struct vtb_anchor *a, const struct vtb_call *call)
{
	if (call->prim)
		touch_object(a, call);
	else
		touch_memory(a, call);
}

/* What stands where the operation goes: a state that comes again has it again, and a counter never does. */
static uint64_t word_of(const struct vtb_call *call)
{
	const bool is_word = !call->prim && call->kind != VTB_E_FENCE && call->size_log2 <= 3;

	return is_word ? vtb_rt_load((uint64_t)call->obj, call->size_log2) : 0;
}

/* The round begins here. */
static void begin_round(struct vtb_rt_thread *t, struct vtb_anchor *a)
{
	a->others = changes_of_others(t);
	a->round->n = 0;
	a->lost = a->anything = false;
	a->steps = 0;
}

static void move_on(struct vtb_anchor *a, const struct vtb_call *call)
{
	const uint32_t limit = a->limit < LIMIT_FIRST  ? LIMIT_FIRST
	                       : a->limit >= LIMIT_MAX ? LIMIT_FIRST
	                                               : 2 * a->limit;

	*a = (struct vtb_anchor){
		.pc = call->pc, .obj = call->obj, .word = word_of(call), .limit = limit, .round = a->round
	};
}

static bool begin_to_track(struct vtb_rt_thread *t, struct vtb_anchor *a, const uint64_t *state)
{
	if (!a->round)
		a->round = vtb_rt_alloc_aside(sizeof(*a->round));
	if (!a->round)
		return false;
	a->tracks = true;
	a->state[0] = state[0];
	a->state[1] = state[1];
	begin_round(t, a);
	return true;
}

static void miss(struct vtb_anchor *a)
{
	if (++a->misses > MISSES_MAX)
		*a = (struct vtb_anchor){ .limit = REST, .round = a->round };
}

/* At the anchor's instruction. True: the thread has come round. */
static bool is_round(struct vtb_rt_thread *t, struct vtb_anchor *a, const uint64_t *state)
{
	if (!a->tracks) {
		begin_to_track(t, a, state);
		return false;
	}
	if (a->state[0] == state[0] && a->state[1] == state[1]) {
		if (!a->lost && a->others == changes_of_others(t) && is_unchanged(a))
			return true;
		a->slowly = true;
		begin_round(t, a);
	} else {
		miss(a);
	}
	return false;
}

static void hold_back(struct vtb_rt_thread *t, struct vtb_anchor *a)
{
	struct vtb_anchor *other = a == t->sched.anchors ? a + 1 : t->sched.anchors;

	vtb_sched.slot->outcome.flags |= VTB_OUT_SPUN;
	vtb_fair_hold_back(t);
	t->sched.exact = a;
	*other = (struct vtb_anchor){
		.round = other->round
	}; /* the next round ends at the same place, for vtb_progress_print() */
}

void vtb_progress_arrive(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	uint64_t state[2];
	bool known = false;

	for (struct vtb_anchor *a = t->sched.anchors; a < t->sched.anchors + 2 && !t->sched.spinning; a++) {
		if (vtb_progress_is_at(a, call) && a->word != word_of(call)) {
			miss(a);
		} else if (vtb_progress_is_at(a, call)) {
			if (!known)
				state_of(t, state);
			known = true;
			if (is_round(t, a, state))
				hold_back(t, a);
		} else if (a->steps > a->limit) {
			move_on(a, call);
		}
		if (a->tracks && !t->sched.spinning)
			note(a, call);
	}
}

void vtb_progress_goes_on(struct vtb_rt_thread *t)
{
	struct vtb_anchor *a = t->sched.exact;

	vtb_fair_let_go(t);
	if (!a)
		return;
	begin_round(t, a);
	note(a, t->sched.call);
}

/* ---- done */

bool vtb_progress_leaves(const struct vtb_call *call)
{
	return call->same || call->idle;
}

/* Has the operation done no more than touch what was noted when it arrived? */
static bool is_plain(const struct vtb_call *call)
{
	switch (call->kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_UNLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_RWUNLOCK:
	case VTB_E_YIELD:
	case VTB_E_SLEEP:
		return true;
	case VTB_E_SEM_TRYWAIT:
	case VTB_E_FUTEX_WAIT:
		return call->value; /* it did not take or wait */
	default:
		return !call->prim;
	}
}

void vtb_progress_done(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	for (struct vtb_anchor *a = t->sched.anchors; a < t->sched.anchors + 2; a++) {
		a->anything |= call->idle;
		a->lost |= !call->idle && (!is_plain(call) || t->sched.interrupted || call->interrupted);
	}
}

void vtb_progress_unseen(struct vtb_rt_thread *t, uint64_t n)
{
	for (struct vtb_anchor *a = t->sched.anchors; a < t->sched.anchors + 2; a++) {
		a->steps += (uint32_t)n;
		a->lost = true;
	}
}

bool vtb_progress_waits(const struct vtb_rt_thread *t)
{
	const struct vtb_anchor *a = t->sched.exact;

	return is_unchanged(a) && (!a->anything || a->others == changes_of_others(t));
}

uint64_t vtb_progress_print(const struct vtb_rt_thread *t)
{
	const struct vtb_anchor *a = t->sched.exact;
	const struct vtb_state_hash words =
	    vtb_state_of(a->round->words, a->round->n * sizeof(*a->round->words), VTB_STATE_K2 + t->base.slot);

	return a->state[0] + words.lo;
}
