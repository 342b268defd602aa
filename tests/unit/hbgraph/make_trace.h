/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make_trace.h: small traces written by hand. Every step asserts that it worked. */
#ifndef VTB_TEST_MAKE_TRACE_H
#define VTB_TEST_MAKE_TRACE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "vtb/array.h"
#include "vtb/trace.h"

#define T_BASE UINT64_C(0x10000) /* variable number v lies at T_BASE + 64 * v unless said otherwise */

static inline void t_begin(struct vtb_trace *t, uint32_t threads)
{
	vtb_trace_init(t);
	assert_int_equal(vtb_symtab_thread(&t->tab, VTB_NONE, 0), 0);
	for (uint32_t i = 1; i < threads; i++)
		assert_int_equal(vtb_symtab_thread(&t->tab, 0, i - 1), i);
}

static inline uint32_t t_object(struct vtb_trace *t, enum vtb_object_kind kind, const char *name, uint32_t size,
                                uint32_t thread)
{
	const struct vtb_object object = { .kind = kind,
		                           .name = name,
		                           .type = "",
		                           .size = size,
		                           .thread = thread,
		                           .site = VTB_NONE,
		                           .stack = { VTB_NONE },
		                           .key = t->tab.n_objects + 1 };
	const struct vtb_variable variable = {
		.object = (uint32_t)t->tab.n_objects, .size = size, .name = name, .type = ""
	};

	assert_true(vtb_symtab_add_object(&t->tab, &object) >= 0);
	return (uint32_t)vtb_symtab_add_variable(&t->tab, &variable);
}

static inline uint32_t t_int(struct vtb_trace *t, const char *name)
{
	return t_object(t, VTB_OBJ_GLOBAL, name, 4, VTB_NONE);
}

static inline uint32_t t_lock(struct vtb_trace *t, const char *name)
{
	return t_object(t, VTB_OBJ_SYNC, name, 40, VTB_NONE);
}

static inline uint32_t t_thread(struct vtb_trace *t, uint32_t thread)
{
	char name[32];

	snprintf(name, sizeof(name), "thread %u", thread);
	return t_object(t, VTB_OBJ_THREAD, name, 0, thread);
}

/* A site in file.c at this line, one for each line. */
static inline uint32_t t_site(struct vtb_trace *t, uint32_t line)
{
	const struct vtb_site site = { .module = VTB_NONE,
		                       .offset = line,
		                       .function = "work",
		                       .file = "file.c",
		                       .line = line,
		                       .function_line = 1,
		                       .text = "",
		                       .instruction = "" };

	for (size_t i = 0; i < t->tab.n_sites; i++)
		if (t->tab.sites[i].line == line)
			return (uint32_t)i;
	return (uint32_t)vtb_symtab_add_site(&t->tab, &site);
}

static inline struct vtb_event *t_event(struct vtb_trace *t, uint32_t thread, enum vtb_event_kind kind, uint32_t var,
                                        uint32_t line)
{
	const struct vtb_event_info *info = vtb_event_info(kind);
	const bool data = info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC;
	struct vtb_event *e;

	assert_int_equal(vtb_array_room(t, events), 0);
	e = &t->events[t->n_events++];
	*e = (struct vtb_event){
		.kind = (uint8_t)kind, .thread = (uint16_t)thread, .var = var, .site = line ? t_site(t, line) : VTB_NONE
	};
	if (var != VTB_NONE && info->family != VTB_FAMILY_THREAD)
		e->addr = T_BASE + 64u * var;
	if (data && var != VTB_NONE)
		e->size = t->tab.variables[var].size;
	vtb_event_classify(e);
	return e;
}

static inline struct vtb_event *t_atomic(struct vtb_trace *t, uint32_t thread, enum vtb_event_kind kind, uint32_t var,
                                         uint32_t line, unsigned order)
{
	struct vtb_event *e = t_event(t, thread, kind, var, line);

	e->order = (uint8_t)order;
	vtb_event_classify(e);
	return e;
}

#endif /* VTB_TEST_MAKE_TRACE_H */
