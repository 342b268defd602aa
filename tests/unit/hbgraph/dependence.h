/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is independent, written down once more from the definition, without clocks and without shadow memory; and
 * operations at random to try it on. */
#ifndef VTB_TEST_DEPENDENCE_H
#define VTB_TEST_DEPENDENCE_H

#include "vtb/trace.h"

static inline uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* ---- the definition, from the words of docs/algorithms.md, "Orders and classes" */

static inline bool touches_memory(const struct vtb_event *e)
{
	return e->size > 0;
}

static inline bool writes(const struct vtb_event *e)
{
	return vtb_event_info(e->kind)->flags & VTB_EV_WRITES;
}

static inline bool dependent(const struct vtb_event *a, const struct vtb_event *b)
{
	if (a->thread == b->thread)
		return true;
	if (a->kind == VTB_E_COND_WAIT && (b->var == a->aux || (b->kind == VTB_E_COND_WAIT && b->aux == a->aux)))
		return true;
	if (b->kind == VTB_E_COND_WAIT && a->var == b->aux)
		return true;
	if (!writes(a) && !writes(b))
		return false;
	if (touches_memory(a) && touches_memory(b))
		return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
	if (!touches_memory(a) && !touches_memory(b))
		return a->var == b->var;
	return touches_memory(a) ? b->addr >= a->addr && b->addr < a->addr + a->size
	                         : a->addr >= b->addr && a->addr < b->addr + b->size;
}

/* ---- random programs: few places, many sizes, so that ranges overlap in every way */

static inline struct vtb_event random_op(uint32_t *seed, int thread)
{
	static const uint8_t memory[] = { VTB_E_READ,       VTB_E_WRITE,       VTB_E_READ, VTB_E_WRITE,
		                          VTB_E_ATOMIC_RMW, VTB_E_ATOMIC_LOAD, VTB_E_FREE };
	static const uint8_t sync[] = { VTB_E_LOCK,          VTB_E_UNLOCK,      VTB_E_TRYLOCK,
		                        VTB_E_BARRIER_LEAVE, VTB_E_COND_SIGNAL, VTB_E_COND_WAIT };
	static const uint32_t sizes[] = { 1, 2, 4, 8, 16, 24, 100, 5000 };
	const bool is_memory = next_random(seed) % 3 != 0;
	struct vtb_event e = { .thread = (uint16_t)thread, .var = VTB_NONE, .aux = 0, .site = VTB_NONE };

	if (is_memory) {
		e.kind = memory[next_random(seed) % sizeof(memory)];
		e.size = sizes[next_random(seed) % (e.kind == VTB_E_FREE ? 8 : 5)];
		e.addr = 0x1ff8 + next_random(seed) % 20; /* across the border of two pages */
	} else {
		e.kind = sync[next_random(seed) % sizeof(sync)];
		e.var = next_random(seed) % 2;
		e.addr = 0x1000 + 0x1000 * e.var; /* object 1 lies among the data */
		if (e.kind == VTB_E_COND_WAIT) {
			e.var = 2;
			e.addr = 0x9000;
			e.aux = next_random(seed) % 2;
		}
	}
	vtb_event_classify(&e);
	return e;
}

#endif /* VTB_TEST_DEPENDENCE_H */
