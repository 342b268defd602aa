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
		if (x->events[i].kind != VTB_E_FAIL && x->events[i].kind != VTB_E_LOST && x->events[i].thread != x->events[i - 1].thread)
			return i;
	return 0;
}

bool vtb_stacks_of_last_switch(const uint64_t *words, size_t n_words, const struct vtb_exec *x, struct raw_stack *ret_left, struct raw_stack *ret_entered)
{
	const size_t entered = last_switch(x);
	const uint64_t *stack;
	size_t at = 0, n, n_stack, events = 0;
	unsigned kind;

	*ret_left = *ret_entered = (struct raw_stack){.event = UINT32_MAX};
	if (!entered)
		return false;
	ret_left->event = (uint32_t)(entered - 1);
	ret_entered->event = (uint32_t)entered;
	while ((n = read_record(words + at, n_words - at, &kind, &stack, &n_stack)) > 0) {
		at += n;
		events += is_event(kind);
		if (kind == VTB_E_STACK && events == entered) /* of the operation before */
			*ret_left = (struct raw_stack){(uint32_t)(entered - 1), stack, n_stack};
		else if (kind == VTB_E_STACK && events == entered + 1)
			*ret_entered = (struct raw_stack){(uint32_t)entered, stack, n_stack};
	}
	return true;
}
