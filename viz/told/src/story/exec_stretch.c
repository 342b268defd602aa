/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/exec_stretch.h"

static bool operation_of(const struct vtb_exec *x, size_t i, uint32_t thread)
{
	return x->events[i].thread == thread && vtb_event_is(&x->events[i], VTB_EV_VISIBLE);
}

/* How many operations of the thread row i stands for. */
static uint32_t operations_in(const struct vtb_exec *x, size_t i, uint32_t thread)
{
	const struct vtb_event *e = &x->events[i];

	if (e->thread == thread && e->kind == VTB_E_OWNED)
		return (uint32_t)e->value;
	return operation_of(x, i, thread);
}

size_t vtb_stretch_return(const struct vtb_exec *x, size_t i)
{
	const uint16_t thread = x->events[i - 1].thread;

	while (i < x->n_events && x->events[i].thread != thread)
		i++;
	return i;
}

uint32_t vtb_stretch_operations(const struct vtb_exec *x, uint32_t thread)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		n += operations_in(x, i, thread);
	return n;
}

size_t vtb_stretch_event(const struct vtb_exec *x, uint32_t thread, uint32_t index)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		n += operations_in(x, i, thread);
		if (n >= index)
			return i;
	}
	return x->n_events;
}

bool vtb_stretch_contended(const struct vtb_exec *x, uint32_t thread, uint32_t index)
{
	const size_t at = vtb_stretch_event(x, thread, index);

	if (index == 0 || at == x->n_events)
		return false;
	for (size_t i = 0; i < x->n_events; i++)
		if (vtb_event_conflict(&x->events[at], &x->events[i]))
			return true;
	return false;
}
