/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file trace_build.h Traces for tests, event by event. */
#ifndef VTB_TEST_TRACE_BUILD_H
#define VTB_TEST_TRACE_BUILD_H

#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/trace.h"

/* Main is thread 0; every thread has a handle variable with its own number, other variables follow. */
static inline uint32_t build_var(struct vtb_trace *trace, enum vtb_object_kind kind, uint32_t thread, const char *name)
{
	const int64_t object = vtb_symtab_add_object(
	    &trace->tab, &(struct vtb_object){ .kind = kind, .name = name, .thread = thread, .site = VTB_NONE });

	return (uint32_t)vtb_symtab_add_variable(&trace->tab,
	                                         &(struct vtb_variable){ .object = (uint32_t)object, .name = name });
}

static inline void build_trace(struct vtb_trace *trace, uint32_t n_threads)
{
	vtb_trace_init(trace);
	for (uint32_t t = 0; t < n_threads; t++) {
		vtb_symtab_thread(&trace->tab, t ? 0 : VTB_NONE, t ? t - 1 : 0);
		build_var(trace, VTB_OBJ_THREAD, t, vtb_thread_path(&trace->tab, t));
	}
}

static inline struct vtb_event *build_event(struct vtb_trace *trace, uint32_t thread, enum vtb_event_kind kind,
                                            uint32_t var)
{
	struct vtb_event *e;

	if (vtb_array_room(trace, events) < 0)
		abort();
	e = &trace->events[trace->n_events++];
	*e = (struct vtb_event){ .thread = (uint16_t)thread, .kind = (uint8_t)kind, .var = var, .site = VTB_NONE };
	if (kind == VTB_E_READ || kind == VTB_E_WRITE) {
		e->addr = 0x1000 + 16ull * var;
		e->size = 4;
	}
	return e;
}

static inline struct vtb_event *build_value(struct vtb_trace *trace, uint32_t thread, enum vtb_event_kind kind,
                                            uint32_t var, uint64_t value)
{
	struct vtb_event *e = build_event(trace, thread, kind, var);

	e->value = value;
	e->flags |= VTB_EVF_VALUE;
	return e;
}

static inline void build_births(struct vtb_trace *trace, uint32_t n_threads)
{
	for (uint32_t t = 1; t < n_threads; t++)
		build_event(trace, 0, VTB_E_THREAD_CREATE, t);
}

static inline void build_joins(struct vtb_trace *trace, uint32_t n_threads)
{
	for (uint32_t t = 1; t < n_threads; t++)
		build_event(trace, 0, VTB_E_THREAD_JOIN, t);
	build_event(trace, 0, VTB_E_PROCESS_EXIT, 0);
}

#endif /* VTB_TEST_TRACE_BUILD_H */
