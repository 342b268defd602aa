/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include "vtb/trace.h"
#include "vtb/wire.h"

/* One record: its kind, its stack if it has one; returns its words, 0 at the end or if it is cut off. */
static size_t read_record(const uint64_t *w, size_t n, unsigned *kind, const uint64_t **stack, size_t *n_stack)
{
	size_t words, fixed;

	if (n < 2)
		return 0;
	words = 2 + (w[0] >> 4 & 15u);
	fixed = 2 + (size_t)__builtin_popcountll(w[0] & (VTB_REC_VALUE | VTB_REC_ARG | VTB_REC_STAMP));
	if (words > n || fixed > words)
		return 0;
	*kind = (unsigned)(w[0] >> 8 & 255u);
	*stack = w + fixed;
	*n_stack = w[0] & VTB_REC_STACK ? words - fixed : 0;
	if (*kind == VTB_E_STACK &&
	    w[0] & (VTB_REC_VALUE | VTB_REC_ARG)) /* of no event, or the rest of one: places.c */
		*kind = 0;
	return words;
}

/* Does this record become an event of the exec? (vtb/exec.h: visible operations, LOST) */
static bool is_event(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && (info->flags & VTB_EV_VISIBLE || kind == VTB_E_LOST);
}

/* Index of the event after the last change of thread; 0: there is none. FAIL is no operation. */
static size_t last_switch(const struct vtb_exec *x)
{
	for (size_t i = x->n_events; i-- > 1;)
		if (x->events[i].kind != VTB_E_FAIL && x->events[i].kind != VTB_E_LOST &&
		    x->events[i].thread != x->events[i - 1].thread)
			return i;
	return 0;
}

bool vtb_stacks_of_last_switch(const uint64_t *words, size_t n_words, const struct vtb_exec *x,
                               struct raw_stack *ret_left, struct raw_stack *ret_entered)
{
	const size_t entered = last_switch(x);
	const uint64_t *stack;
	size_t at = 0, n, n_stack, events = 0;
	unsigned kind;

	*ret_left = *ret_entered = (struct raw_stack){ .event = UINT32_MAX };
	if (!entered)
		return false;
	ret_left->event = (uint32_t)(entered - 1);
	ret_entered->event = (uint32_t)entered;
	while ((n = read_record(words + at, n_words - at, &kind, &stack, &n_stack)) > 0) {
		at += n;
		events += is_event(kind);
		if (kind == VTB_E_STACK && events == entered) /* of the operation before */
			*ret_left = (struct raw_stack){ (uint32_t)(entered - 1), stack, n_stack };
		else if (kind == VTB_E_STACK && events == entered + 1)
			*ret_entered = (struct raw_stack){ (uint32_t)entered, stack, n_stack };
	}
	return true;
}

/* ---- the heap */

static uint64_t address_of(const uint64_t *record)
{
	return record[0] >> 16;
}

/* What an ALLOC record's size is: its arg, behind a value if it has one. */
static uint64_t size_of(const uint64_t *record)
{
	return record[0] & VTB_REC_ARG ? record[record[0] & VTB_REC_VALUE ? 3 : 2] : 0;
}

/* The address at which the run failed, 0: it did not. The last FAIL record is the run's. */
static uint64_t failing_address(const uint64_t *words, size_t n_words)
{
	const uint64_t *stack;
	uint64_t address = 0;
	size_t at = 0, n, n_stack;
	unsigned kind;

	while ((n = read_record(words + at, n_words - at, &kind, &stack, &n_stack)) > 0) {
		if (kind == VTB_E_FAIL)
			address = address_of(words + at);
		at += n;
	}
	return address;
}

struct heap_search {
	struct raw_stack *ret;
	uint64_t address;   /* at which the run failed */
	uint64_t block;     /* where the block begins that it lies in; 0 unknown */
	uint64_t slot;      /* whose records these are */
	uint64_t allocator; /* slot */
	size_t events;
};

static void see_alloc(struct heap_search *h, const uint64_t *record, const uint64_t *stack, size_t n_stack)
{
	const uint64_t block = address_of(record);

	if (h->address < block || h->address - block >= (size_of(record) ? size_of(record) : 1))
		return;
	h->block = block;
	h->allocator = h->slot;
	h->ret[VTB_HEAP_ALLOCATED] = (struct raw_stack){ UINT32_MAX, stack, n_stack };
	h->ret[VTB_HEAP_FREED] = (struct raw_stack){ .event = UINT32_MAX };
}

static void see_heap(struct heap_search *h, unsigned kind, const uint64_t *record, const uint64_t *stack,
                     size_t n_stack)
{
	const uint32_t event = (uint32_t)h->events - 1;

	if (kind == VTB_E_SWITCH)
		h->slot = record[2];
	else if (kind == VTB_E_ALLOC)
		see_alloc(h, record, stack, n_stack);
	else if (kind == VTB_E_FREE && address_of(record) == (h->block ? h->block : h->address))
		h->ret[VTB_HEAP_FREED] = (struct raw_stack){ .event = event };
	else if (kind == VTB_E_STACK && h->events && h->ret[VTB_HEAP_FREED].event == event)
		h->ret[VTB_HEAP_FREED] = (struct raw_stack){ event, stack, n_stack };
	else if (kind == VTB_E_FAIL)
		h->ret[VTB_HEAP_USED] = (struct raw_stack){ event, stack, n_stack };
}

/* Allocations are no events, but their thread has some. */
static void find_allocator(struct heap_search *h, const uint64_t *words, size_t n_words)
{
	const uint64_t *stack;
	size_t at = 0, n, n_stack, events = 0;
	uint64_t slot = 0;
	unsigned kind;

	while (h->ret[VTB_HEAP_ALLOCATED].n &&
	       (n = read_record(words + at, n_words - at, &kind, &stack, &n_stack)) > 0) {
		if (kind == VTB_E_SWITCH)
			slot = words[at + 2];
		if (is_event(kind) && slot == h->allocator) {
			h->ret[VTB_HEAP_ALLOCATED].event = (uint32_t)events;
			return;
		}
		events += is_event(kind);
		at += n;
	}
}

bool vtb_stacks_of_heap(const uint64_t *words, size_t n_words, struct raw_stack ret[VTB_HEAP_PARTS])
{
	struct heap_search h = { .ret = ret, .address = failing_address(words, n_words) };
	const uint64_t *stack;
	size_t at = 0, n, n_stack;
	unsigned kind;

	for (size_t i = 0; i < VTB_HEAP_PARTS; i++)
		ret[i] = (struct raw_stack){ .event = UINT32_MAX };
	if (!h.address)
		return false;
	while ((n = read_record(words + at, n_words - at, &kind, &stack, &n_stack)) > 0) {
		h.events += is_event(kind);
		see_heap(&h, kind, words + at, stack, n_stack);
		at += n;
	}
	find_allocator(&h, words, n_words);
	return true;
}
