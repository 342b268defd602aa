/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread touches on its way round: words of memory, and what stands in them. */
#include "round.h"

#include "scheduler.h"

#define RWLOCK_WORDS 7u
#define OBJECT_WORDS 5u /* pthread_mutex_t */
static bool is_own(const struct vtb_round *r, uint64_t addr)
{
	return addr - r->stack_lo < r->stack_hi - r->stack_lo;
}

/* What the thread writes to its own stack before it reads it is nothing that it waits for. */
static void touch(struct vtb_anchor *a, uint64_t addr, uint32_t size_log2)
{
	struct vtb_round *r = a->round;
	const bool own = is_own(r, addr), skipped = own && r->writes;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->words[i].addr == addr &&
		    (r->words[i].size_log2 == size_log2 || r->words[i].size_log2 == VTB_ROUND_SKIPPED)) {
			a->lost |= r->steady && !own && r->words[i].value != vtb_rt_load(addr, size_log2);
			return;
		}
	if (r->n == VTB_ROUND_WORDS) {
		a->lost = true;
		return;
	}
	r->words[r->n++] = (struct vtb_round_word){ addr, skipped ? 0 : vtb_rt_load(addr, size_log2),
		                                    skipped ? VTB_ROUND_SKIPPED : size_log2 };
}

/* The thread is at its anchor: what it has left on its stack is part of its state, and what lies below is dead. */
void vtb_round_take_own(const struct vtb_rt_thread *t, struct vtb_round *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct vtb_round_word *w = &r->words[i];

		if (!is_own(r, w->addr) || w->size_log2 == VTB_ROUND_SKIPPED)
			continue;
		w->size_log2 = w->addr < t->base.view.sp ? VTB_ROUND_SKIPPED : w->size_log2;
		w->value = w->size_log2 == VTB_ROUND_SKIPPED ? 0 : vtb_rt_load(w->addr, (unsigned)w->size_log2);
	}
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
	case VTB_E_SEM_VALUE:
		touch_words(a, addr, 1);
		break;
	case VTB_E_FUTEX_WAIT:
		touch(a, addr, 2);
		break;
	case VTB_E_THREAD_JOIN:
		touch(a, (uint64_t)&vtb_rt.threads[addr]->base.state, 2);
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

bool vtb_round_is_unchanged(const struct vtb_anchor *a)
{
	const struct vtb_round *r = a->round;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->words[i].size_log2 != VTB_ROUND_SKIPPED &&
		    vtb_rt_load(r->words[i].addr, (unsigned)r->words[i].size_log2) != r->words[i].value)
			return false;
	return true;
}

uint64_t vtb_round_print(const struct vtb_round *r, uint64_t seed)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->n; i++)
		if (!is_own(r, r->words[i].addr))
			sum += vtb_state_finish(vtb_state_of(&r->words[i], sizeof(r->words[i]), seed)).lo;
	return sum;
}

void vtb_round_note(struct vtb_anchor *a, const struct vtb_call *call)
{
	a->round->writes = call->kind == VTB_E_WRITE || call->kind == VTB_E_ATOMIC_STORE;
	if (call->prim)
		touch_object(a, call);
	else
		touch_memory(a, call);
}
