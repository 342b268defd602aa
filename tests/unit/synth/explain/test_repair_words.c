/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to change, where something special can be said. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repairs/repairs.h"

enum { DATA, BARRIER, LOCK, HANDLE, VARIABLES, SITES = 16, LINES = 10 };

struct text {
	struct vtb_event events[SITES], pending[2];
	uint32_t lines[SITES]; /* of the events */
	size_t n_events, n_pending;
	char words[600];
};

static size_t does(struct text *t, uint32_t thread, unsigned kind, uint32_t var)
{
	t->events[t->n_events] = (struct vtb_event){
		.thread = (uint16_t)thread, .kind = (uint8_t)kind, .site = (uint32_t)t->n_events, .var = var
	};
	vtb_event_classify(&t->events[t->n_events]);
	t->lines[t->n_events] = LINES + (uint32_t)t->n_events;
	return t->n_events++;
}

static const char *say(struct text *t, struct repair *r, const char *data)
{
	static struct vtb_site sites[SITES];
	static struct vtb_variable variables[VARIABLES] = { [DATA] = { .object = VTB_NONE },
		                                            [BARRIER] = { .object = VTB_NONE, .name = "bar" },
		                                            [LOCK] = { .object = VTB_NONE, .name = "m" },
		                                            [HANDLE] = { .object = 0, .name = "thread 0.1" } };
	static struct vtb_object thread = { .kind = VTB_OBJ_THREAD, .thread = 2 };
	static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" }, { .path = "0.1" } };
	const struct vtb_symtab tab = { .sites = sites,
		                        .n_sites = SITES,
		                        .variables = variables,
		                        .n_variables = VARIABLES,
		                        .objects = &thread,
		                        .n_objects = 1,
		                        .threads = threads,
		                        .n_threads = 3 };
	struct vtb_core core = { .exec = { .events = t->events,
		                           .n_events = t->n_events,
		                           .pending = t->pending,
		                           .n_pending = t->n_pending } };

	for (size_t i = 0; i < SITES; i++)
		sites[i] = (struct vtb_site){ .function = "f", .file = "a.c", .line = t->lines[i] };
	variables[DATA].name = data;
	r->core = &core;
	if (r->n_flips)
		r->flips[0].run = &core.exec;
	if (r->n_pieces)
		r->pieces[0].run = &core.exec;
	repair_words(r, &tab, &(struct vtb_core_repair_opts){ 0 }, t->words, sizeof(t->words));
	return t->words;
}

/* Event `later` is to come after event `sooner`. */
static const char *turned(struct text *t, const struct vtb_core_class *class, size_t later, size_t sooner)
{
	const struct vtb_exec x = { .events = t->events, .n_events = t->n_events };
	struct repair r = { .kind = "order", .class = class, .n_flips = 1 };

	r.flips[0] = (struct repair_flip){ .later = core_op_at(&x, later),
		                           .sooner = core_op_at(&x, sooner),
		                           .from = core_op_at(&x, later) };
	return say(t, &r, "data");
}

/* Threads 1 and 2 have left a barrier so often, then 1 writes what 2 still reads. */
static const char *meet(struct text *t, unsigned first, unsigned second)
{
	size_t writes;

	*t = (struct text){ .n_events = 0 };
	for (unsigned i = 0; i < first; i++)
		does(t, 1, VTB_E_BARRIER_LEAVE, BARRIER);
	for (unsigned i = 0; i < second; i++)
		does(t, 2, VTB_E_BARRIER_LEAVE, BARRIER);
	writes = does(t, 1, VTB_E_WRITE, DATA);
	return turned(t, &core_order, writes, does(t, 2, VTB_E_READ, DATA));
}

static void who_meets_at_a_barrier_may_meet_once_more(void **state)
{
	struct text t;

	(void)state;
	assert_string_equal(meet(&t, 1, 1),
	                    "a.c:13, which reads data, must come before a.c:12, which writes it: let all threads meet "
	                    "at bar once more in between, or wait for it before line 12.");
	assert_null(strstr(meet(&t, 0, 0), "meet"));
	assert_null(strstr(meet(&t, 0, 1), "meet"));
	assert_null(strstr(meet(&t, 2, 1), "meet"));
}

/* Thread 1 waits for the end of thread 2 with a lock that this one wants, and would better have had first. */
static void a_lock_is_to_go_before_a_thread_is_joined(void **state)
{
	struct text t = { .n_events = 0 };
	const size_t locks = does(&t, 1, VTB_E_LOCK, LOCK), comes = does(&t, 2, VTB_E_READ, DATA);

	(void)state;
	t.lines[4] = 14;
	t.lines[5] = 15;
	t.pending[t.n_pending++] =
	    (struct vtb_event){ .thread = 1, .kind = VTB_E_THREAD_JOIN, .var = HANDLE, .site = 4 };
	t.pending[t.n_pending++] = (struct vtb_event){ .thread = 2, .kind = VTB_E_LOCK, .var = LOCK, .site = 5 };
	assert_string_equal(turned(&t, &core_join_under_lock, locks, comes),
	                    "Let m go before a.c:14 waits for the end of 0.1, which takes it at a.c:15; or, as was "
	                    "tried, wait at line 10 until that thread needs it no more.");
}

/* Wakes one of two threads at each of these lines, while both wait. */
static const char *wake_all(struct text *t, unsigned n)
{
	struct repair r = { .kind = "wake-all", .class = &core_too_few_woken, .wakes_all = true };

	*t = (struct text){ .n_events = 0 };
	for (unsigned i = 0; i < n; i++)
		does(t, 0, VTB_E_COND_SIGNAL, LOCK);
	t->pending[t->n_pending++] = (struct vtb_event){ .thread = 1, .kind = VTB_E_COND_WAKE, .var = LOCK };
	return say(t, &r, "data");
}

static void all_are_to_be_woken_at_each_place(void **state)
{
	struct text t;

	(void)state;
	assert_string_equal(wake_all(&t, 1), "Wake all who wait, not one of them, at a.c:10 (by a broadcast, "
	                                     "notify_all), or give those who wait for different things a condition "
	                                     "each.");
	assert_non_null(strstr(wake_all(&t, 2), "at a.c:11 (by a broadcast, notify_all; tried together with a.c:10), "
	                                        "or give"));
}

/* Reads and writes this in one line; has that to be one step? */
static const char *one_line(struct text *t, const char *data)
{
	struct repair r = { .kind = "one-step", .class = &core_atomicity, .n_pieces = 1 };
	struct vtb_exec x = { .events = t->events };

	*t = (struct text){ .n_events = 0 };
	does(t, 1, VTB_E_READ, DATA);
	t->lines[does(t, 1, VTB_E_WRITE, DATA)] = LINES;
	x.n_events = t->n_events;
	r.pieces[0] = (struct repair_piece){
		.first = core_op_at(&x, 0), .last = core_op_at(&x, 1), .from = core_op_at(&x, 0), .lock = VTB_NONE
	};
	return say(t, &r, data);
}

static void what_the_c_library_keeps_is_no_atomic_operation(void **state)
{
	struct text t;

	(void)state;
	assert_non_null(strstr(one_line(&t, "data"), "hold a lock over it, or make it one atomic operation."));
	assert_null(strstr(t.words, "_r"));
	assert_non_null(
	    strstr(one_line(&t, "libc.so.6+0x1da640"), "Or call functions that keep nothing for all threads"));
	assert_null(strstr(t.words, "atomic"));
	assert_non_null(strstr(one_line(&t, "strtok()::rest"), "strtok_r()"));
}

/* Thread 1 counts down, and then does this to the count (at this line; 0: at the next one) before it frees something
 * else; has that to be one step? */
static const char *counts_down(struct text *t, unsigned then, uint32_t line)
{
	size_t next;

	struct repair r = { .kind = "one-step", .class = &core_use_after_free, .n_pieces = 1 };
	struct vtb_exec x = { .events = t->events };

	*t = (struct text){ .n_events = 0 };
	does(t, 1, VTB_E_ATOMIC_RMW, DATA);
	next = does(t, 1, then, DATA);
	if (line)
		t->lines[next] = line;
	does(t, 1, VTB_E_FREE, LOCK);
	x.n_events = t->n_events;
	r.pieces[0] = (struct repair_piece){
		.first = core_op_at(&x, 0), .last = core_op_at(&x, 2), .from = core_op_at(&x, 0), .lock = VTB_NONE
	};
	return say(t, &r, "refs");
}

static void an_update_returns_what_need_not_be_loaded_again(void **state)
{
	struct text t;

	(void)state;
	assert_non_null(strstr(counts_down(&t, VTB_E_ATOMIC_LOAD, 0), " Or go by the value that a.c:10 returns, and do "
	                                                              "not load refs again at a.c:11."));
	assert_null(strstr(counts_down(&t, VTB_E_ATOMIC_RMW, 0), "returns"));
	/* a loop comes back to a load: that is of the next round */
	assert_null(strstr(counts_down(&t, VTB_E_ATOMIC_LOAD, 9), "returns"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_meets_at_a_barrier_may_meet_once_more),
		cmocka_unit_test(a_lock_is_to_go_before_a_thread_is_joined),
		cmocka_unit_test(all_are_to_be_woken_at_each_place),
		cmocka_unit_test(an_update_returns_what_need_not_be_loaded_again),
		cmocka_unit_test(what_the_c_library_keeps_is_no_atomic_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
