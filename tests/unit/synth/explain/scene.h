/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failing runs as they are written down, and what kind of mistake they are taken for. */
#ifndef SCENE_H
#define SCENE_H

#include "vtb/core_class.h"

#define SITES 64

enum { X, Y, LOCK, COND, INNER, HANDLE /* thread 2 */, VARIABLES = 8 };

/* A failing run as it is written down: variables lie 16 bytes apart, and every event has a site of its own. */
struct scene {
	struct vtb_event events[SITES], pending[4];
	struct vtb_order_literal literals[4];
	uint32_t lines[SITES];       /* 0: one that no other has */
	const char *x;               /* its name */
	const char *start;           /* what all threads but main run */
	const struct scene *passing; /* or NULL */
	size_t n_events, n_pending, n_literals;
	enum vtb_verdict verdict;
	const char *message;
	uint32_t (*place)(const struct vtb_core_op *op, const struct vtb_exec *run, const void *places); /* or NULL */
};

__attribute__((unused)) static size_t does(struct scene *s, uint32_t thread, unsigned kind, uint32_t var,
                                           uint64_t value)
{
	s->events[s->n_events] = (struct vtb_event){ .thread = (uint16_t)thread,
		                                     .kind = (uint8_t)kind,
		                                     .var = var,
		                                     .site = (uint32_t)s->n_events,
		                                     .addr = 0x1000 + 16 * var,
		                                     .size = 4,
		                                     .aux = VTB_NONE,
		                                     .flags = VTB_EVF_VALUE,
		                                     .value = value };
	vtb_event_classify(&s->events[s->n_events]);
	return s->n_events++;
}

/* Waits for the condition `var`, and gives the mutex back for so long. */
__attribute__((unused)) static size_t waits(struct scene *s, uint32_t thread, uint32_t var, uint32_t mutex,
                                            unsigned kind)
{
	const size_t at = does(s, thread, kind, var, 0);

	s->events[at].aux = mutex;
	return at;
}

__attribute__((unused)) static void still_waits(struct scene *s, uint32_t thread, uint32_t var)
{
	s->pending[s->n_pending++] =
	    (struct vtb_event){ .thread = (uint16_t)thread, .kind = VTB_E_COND_WAKE, .var = var };
}

__attribute__((unused)) static struct vtb_core_op op_of(const struct scene *s, size_t at)
{
	const struct vtb_event *e = &s->events[at];
	struct vtb_core_op op = {
		.thread = e->thread, .site = e->site, .occurrence = 1, .var = e->var, .kind = e->kind
	};

	for (size_t i = 0; i <= at; i++)
		op.index += s->events[i].thread == e->thread;
	return op;
}

__attribute__((unused)) static void before(struct scene *s, size_t first, size_t then)
{
	s->literals[s->n_literals++] = (struct vtb_order_literal){ op_of(s, first), op_of(s, then) };
}

/* What had not been done when the run failed. */
__attribute__((unused)) static void before_what_was_to_come(struct scene *s, size_t first, uint32_t thread,
                                                            unsigned kind, uint32_t var)
{
	const struct vtb_core_op op = {
		.thread = thread, .site = SITES - 1, .occurrence = 1, .var = var, .kind = (uint8_t)kind
	};

	s->literals[s->n_literals++] = (struct vtb_order_literal){ op_of(s, first), op };
}

__attribute__((unused)) static const char *kind_of(struct scene *s)
{
	static struct vtb_site sites[SITES];
	static struct vtb_variable variables[VARIABLES];
	static struct vtb_thread threads[] = {
		{ .path = "0" }, { .path = "0.0" }, { .path = "0.1" }, { .path = "0.2" }
	};
	static struct vtb_object thread = { .kind = VTB_OBJ_THREAD, .thread = 2 };
	const struct vtb_symtab tab = { .sites = sites,
		                        .n_sites = SITES,
		                        .variables = variables,
		                        .n_variables = VARIABLES,
		                        .threads = threads,
		                        .n_threads = 4,
		                        .objects = &thread,
		                        .n_objects = 1 };
	struct vtb_core core = { .literals = s->literals, .n_literals = s->n_literals };
	struct vtb_core_view view;
	struct vtb_exec passing;
	const char *name;

	for (size_t i = 0; i < 4; i++)
		threads[i].start = i && s->start ? s->start : "";
	for (size_t i = 0; i < SITES; i++)
		sites[i] = (struct vtb_site){ .function = "f",
			                      .file = "f.c",
			                      .line = s->lines[i] ? s->lines[i] : 100 + (uint32_t)i };
	for (size_t i = 0; i < VARIABLES; i++)
		variables[i] =
		    (struct vtb_variable){ .object = i == HANDLE ? 0 : VTB_NONE, .name = i == X && s->x ? s->x : "" };
	core.exec = (struct vtb_exec){ .events = s->events,
		                       .n_events = s->n_events,
		                       .pending = s->pending,
		                       .n_pending = s->n_pending,
		                       .outcome = { .verdict = s->verdict, .message = (char *)s->message } };
	assert_int_equal(vtb_core_view_of(&core, &tab, &view), 0);
	view.place = s->place;
	if (s->passing) {
		passing = (struct vtb_exec){ .events = (struct vtb_event *)s->passing->events,
			                     .n_events = s->passing->n_events };
		view.passing = &passing;
	}
	name = vtb_core_classify(&view)->name;
	vtb_core_view_fini(&view);
	return name;
}

#endif /* SCENE_H */
