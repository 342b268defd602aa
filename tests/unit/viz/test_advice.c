/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a cause for which no repair was tried that holds. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "vtb/told.h"

static struct vtb_cause_op op(const char *thread, uint32_t nth, const char *kind, const char *variable, uint32_t line)
{
	return (struct vtb_cause_op){ .thread = (char *)thread,
		                      .op = nth,
		                      .kind = (char *)kind,
		                      .variable = (char *)variable,
		                      .function = "f",
		                      .file = "/src/pool.cpp",
		                      .line = line };
}

static const char *advice(const char *class, struct vtb_cause_order *orders, size_t n, struct vtb_cause_op guard,
                          char *buf, size_t size)
{
	struct vtb_cause cause = { .orders = orders, .n_orders = n, .class = (char *)class, .guard = guard };
	struct vtb_causes causes = { .causes = &cause, .n_causes = 1 };
	const struct vtb_told told = { .causes = &causes };

	return vtb_told_advice(&told, buf, size);
}

static void a_predicate_is_to_be_changed_with_the_mutex_held(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0", 7, "cond-broadcast", "pool.cv_", 24),
		  .after = op("0.1", 9, "cond-wait", "pool.cv_", 45) },
		{ .before = op("0.1", 5, "atomic-load", "pool.stop_", 45),
		  .after = op("0", 6, "atomic-store", "pool.stop_", 23) },
	};
	char text[600];

	(void)state;
	assert_string_equal(
	    advice("predicate-without-mutex", orders, 2, op("0.1", 5, "atomic-load", "pool.m_", 45), text,
	           sizeof(text)),
	    "Hold `pool.m_` where pool.stop_ is changed at pool.cpp:23: pool.cpp:45 tests it with that held, "
	    "until it waits. (Not proved: no repair was found that holds in every schedule tried.)");
}

static void a_change_is_to_be_signalled(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0.1", 5, "read", "pool.stop_", 45), .after = op("0", 6, "write", "pool.stop_", 23) },
	};
	char text[600];

	(void)state;
	assert_string_equal(advice("not-signalled", orders, 1, (struct vtb_cause_op){ 0 }, text, sizeof(text)),
	                    "Signal the condition whose waiter tests pool.stop_ at pool.cpp:45 when it is changed at "
	                    "pool.cpp:23: nobody "
	                    "did after that. (Not proved: no repair was found that holds in every schedule tried.)");
}

static void what_was_signalled_is_to_be_kept(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0.0", 6, "cond-signal", "d.ready_", 30),
		  .after = op("0", 9, "cond-wait", "d.ready_", 17) },
	};
	char text[600];

	(void)state;
	assert_string_equal(
	    advice("lost-wakeup", orders, 1, (struct vtb_cause_op){ 0 }, text, sizeof(text)),
	    "A signal is not kept for who waits later. Let a variable say what pool.cpp:30 signals, set "
	    "it before that with the waiter's mutex held, and test it at pool.cpp:17 before each wait, in "
	    "a loop. (Not proved: no repair was found that holds in every schedule tried.)");
}

/* `late`: the write had still to come. */
static const char *read_too_early(bool late, char *buf, size_t size)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0", 9, "cond-wait", "pool.idle_", 39),
		  .after = op("0.0", 0, "cond-broadcast", "pool.idle_", 57) },
		{ .before = op("0", 12, "read", "results[1]", 75),
		  .after = op("0.1", late ? 0 : 20, "write", "results[1]", 73) },
	};

	return advice("order-violation", orders, 2, (struct vtb_cause_op){ 0 }, buf, size);
}

static void what_is_read_before_it_is_there_is_to_be_told_of_later(void **state)
{
	char text[600];

	(void)state;
	assert_string_equal(
	    read_too_early(true, text, sizeof(text)),
	    "results[1] is read at pool.cpp:75 while 0.1 has still to write it at pool.cpp:73: let what "
	    "says that this may go on be said after that is done, not when it begins, or wait for it. "
	    "(Not proved: no repair was found that holds in every schedule tried.)");
	assert_null(strstr(read_too_early(false, text, sizeof(text)), "still to write"));
}

static void a_condition_is_to_be_tested_again(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0.0", 5, "write", "ch.item_", 24), .after = op("0.2", 0, "read", "ch.item_", 14) },
		{ .before = op("0.1", 6, "write", "ch.item_", 24), .after = op("0.2", 0, "read", "ch.item_", 14) },
	};
	char text[600];

	(void)state;
	assert_string_equal(advice("check-not-repeated", orders, 2, (struct vtb_cause_op){ 0 }, text, sizeof(text)),
	                    "Test what is waited for again after the wait, in a loop, before going on at pool.cpp:24. "
	                    "(Not proved: no repair was found that holds in every schedule tried.)");
	orders[0].after.op = 7; /* it may be this one that goes on */
	assert_string_equal(advice("check-not-repeated", orders, 2, (struct vtb_cause_op){ 0 }, text, sizeof(text)),
	                    "Test what is waited for again after the wait, in a loop. "
	                    "(Not proved: no repair was found that holds in every schedule tried.)");
}

static void without_a_known_mutex_nothing_is_said_of_a_predicate(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0.1", 5, "read", "stop", 45), .after = op("0", 6, "write", "stop", 23) },
	};
	char text[600];

	(void)state;
	assert_string_equal(
	    advice("predicate-without-mutex", orders, 1, (struct vtb_cause_op){ 0 }, text, sizeof(text)), "");
}

static void parts_of_a_circle_are_to_be_one_step(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0.0", 1, "read", "sum", 10), .after = op("0.1", 2, "write", "sum", 12) },
		{ .before = op("0.1", 1, "read", "sum", 10), .after = op("0.0", 2, "write", "sum", 12) },
	};
	char text[600];

	(void)state;
	assert_string_equal(
	    advice("atomicity-violation", orders, 2, (struct vtb_cause_op){ 0 }, text, sizeof(text)),
	    "Make pool.cpp:10 to pool.cpp:12 one step: hold a lock over it. (Not proved: no repair was found "
	    "that holds in every schedule tried.)");
}

static void a_block_is_to_outlive_its_users(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0.0", 4, "read", "loop.sources", 90),
		  .after = op("0", 9, "write", "loop.sources", 69) },
		{ .before = op("0", 12, "free", "add() at loop.c:38", 58),
		  .after = op("0.0", 7, "read", "add() at loop.c:38->func", 99) },
	};
	const struct vtb_cause_op held = op("0", 12, "free", "loop.lock", 58);
	char text[600];

	(void)state;
	assert_string_equal(advice("use-after-free", orders, 2, held, text, sizeof(text)),
	                    "Free the block from loop.c:38 at pool.cpp:58 only when nobody can use it any more, as 0.0 "
	                    "does at pool.cpp:99: count those who do, or hold `loop.lock`, which is held there, from "
	                    "pool.cpp:90 to pool.cpp:99. (Not proved: no repair was found that holds in every schedule "
	                    "tried.)");
}

/* The orders are about its count, as the cause of one reference that is given back twice. */
static void who_freed_a_block_and_uses_it_is_to_give_it_back_once(void **state)
{
	static struct vtb_thread threads[] = { { .path = "0", .parent = VTB_NONE, .start = "main" },
		                               { .path = "0.1", .start = "work" } };
	static struct vtb_object objects[] = { { .kind = VTB_OBJ_HEAP, .name = "jobs.c:29", .type = "struct job" } };
	static struct vtb_variable variables[] = { { .object = 0, .name = "jobs.c:29" } };
	static struct vtb_site sites[] = { { .module = VTB_NONE,
		                             .function = "f",
		                             .file = "jobs.c",
		                             .line = 48,
		                             .text = "",
		                             .via = "",
		                             .inside = "" },
		                           { .module = VTB_NONE,
		                             .function = "f",
		                             .file = "jobs.c",
		                             .line = 43,
		                             .text = "",
		                             .via = "",
		                             .inside = "" } };
	const struct vtb_symtab tab = { .threads = threads,
		                        .n_threads = 2,
		                        .objects = objects,
		                        .n_objects = 1,
		                        .variables = variables,
		                        .n_variables = 1,
		                        .sites = sites,
		                        .n_sites = 2 };
	struct vtb_event events[] = { { .thread = 0, .kind = VTB_E_FREE, .var = 0, .site = 0 },
		                      { .thread = 0, .kind = VTB_E_FAIL, .var = 0, .site = 1 } };
	uint64_t enabled[] = { 3, 3 };
	char message[] = "memory was used after it was freed", text[600];
	const struct vtb_exec run = {
		.events = events,
		.n_events = 2,
		.enabled = enabled,
		.stride = 1,
		.outcome = { .verdict = VTB_V_MEMORY, .message = message, .thread = 0, .var = 0, .site = 1 }
	};
	struct vtb_cause_order orders[] = { { .before = op("0.1", 4, "write", "job.refs", 45),
		                              .after = op("0", 9, "read", "job.refs", 45) } };
	struct vtb_cause cause = { .orders = orders, .n_orders = 1, .class = (char *)"use-after-free" };
	struct vtb_causes causes = { .causes = &cause, .n_causes = 1 };
	const struct vtb_told told = { .causes = &causes, .run = &run, .tab = &tab };

	(void)state;
	assert_string_equal(
	    vtb_told_advice(&told, text, sizeof(text)),
	    "Free the struct job from jobs.c:29 only when nobody can use it any more: who frees it at "
	    "jobs.c:48 uses it at jobs.c:43 afterwards. Let each who has it be counted, and give it back "
	    "once.");
	events[1].thread = 1;
	assert_string_equal(
	    vtb_told_advice(&told, text, sizeof(text)),
	    "Free the struct job from jobs.c:29 only when nobody can use it any more: jobs.c:43 must be "
	    "over before jobs.c:48.");
}

static void a_thread_is_to_end_before_its_object(void **state)
{
	struct vtb_cause_order orders[] = {
		{ .before = op("0", 9, "write", "s._vptr.Job in main()", 14),
		  .after = op("0.0", 3, "read", "s._vptr.Job in main()", 40) },
	};
	char text[600];

	(void)state;
	orders[0].before.function = "Job::~Job()";
	assert_string_equal(
	    advice("half-object", orders, 1, (struct vtb_cause_op){ 0 }, text, sizeof(text)),
	    "0.0 calls a virtual function at pool.cpp:40 while 0 is in Job::~Job at pool.cpp:14: what "
	    "derived classes have is gone by then. Let that thread end (join it) before s is destroyed, "
	    "at the latest first thing in the destructor of its own class. (Not proved: no repair was "
	    "found that holds in every schedule tried.)");
}

/* Thread 0.1 was about to do this when the run was over, with a lock that thread 0 needs; then, or else before, thread
 * 0 has signalled `empty`. */
static const char *advice_of_run(const char *class, struct vtb_cause_order *order, unsigned pending, bool signals,
                                 char *buf, size_t size)
{
	static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.1" } };
	static struct vtb_variable variables[] = { { .object = VTB_NONE, .name = "full" },
		                                   { .object = VTB_NONE, .name = "empty" },
		                                   { .object = VTB_NONE, .name = "list" } };
	static struct vtb_site sites[] = { { .file = "pool.cpp", .line = 46 },
		                           { .file = "pool.cpp", .line = 24 },
		                           { .file = "pool.cpp", .line = 40 },
		                           { .file = "pool.cpp", .line = 22 } };
	const struct vtb_symtab tab = { .threads = threads,
		                        .n_threads = 2,
		                        .variables = variables,
		                        .n_variables = 3,
		                        .sites = sites,
		                        .n_sites = 4 };
	struct vtb_event
	    events[] = { { .thread = 0, .kind = VTB_E_WRITE, .var = VTB_NONE, .site = VTB_NONE },
		         { .thread = 1, .kind = VTB_E_LOCK, .var = 2, .site = 2, .flags = VTB_EVF_ACQUIRES },
		         { .thread = 0, .kind = VTB_E_COND_SIGNAL, .var = 1, .site = 1 } },
	    waits[] = { { .thread = 1, .kind = (uint8_t)pending, .var = 0, .site = 0 },
		        { .thread = 0, .kind = VTB_E_LOCK, .var = 2, .site = 3 } };
	const struct vtb_exec run = { .events = events, .n_events = signals ? 3 : 2, .pending = waits, .n_pending = 2 };
	struct vtb_cause cause = { .orders = order, .n_orders = 1, .class = (char *)class };
	struct vtb_causes causes = { .causes = &cause, .n_causes = 1 };
	const struct vtb_told told = { .causes = &causes, .run = &run, .tab = &tab };

	return vtb_told_advice(&told, buf, size);
}

static void the_condition_that_is_to_be_signalled_is_named(void **state)
{
	struct vtb_cause_order order = { .before = op("0.1", 5, "read", "stop", 45),
		                         .after = op("0", 1, "write", "stop", 23) };
	char text[600];

	(void)state;
	assert_string_equal(
	    advice_of_run("not-signalled", &order, VTB_E_COND_WAKE, false, text, sizeof(text)),
	    "Signal full when stop is changed at pool.cpp:23: 0.1 tests that at pool.cpp:45 and waits on full at "
	    "pool.cpp:46, and nobody has signalled it since. (Not proved: no repair was found that holds in every "
	    "schedule tried.)");
	assert_non_null(strstr(advice_of_run("not-signalled", &order, VTB_E_COND_WAKE, true, text, sizeof(text)),
	                       "has signalled it since; what pool.cpp:24 signals is empty. "));
	assert_non_null(strstr(advice_of_run("not-signalled", &order, VTB_E_LOCK, true, text, sizeof(text)),
	                       "Signal the condition whose waiter tests stop"));
}

static void a_lock_is_to_go_before_a_wait(void **state)
{
	const char *expected =
	    "0.1 still waits on full at pool.cpp:46 with list held since pool.cpp:40, and 0, which needs list at "
	    "pool.cpp:22, can do nothing to end that: let list go before the wait. (Not proved: no repair was found "
	    "that "
	    "holds in every schedule tried.)";
	struct vtb_cause_order order = { .before = op("0.1", 5, "lock", "list", 40),
		                         .after = op("0", 0, "lock", "list", 22) },
	                       later = { .before = op("0.1", 6, "read", "ready", 45),
		                         .after = op("0", 0, "write", "ready", 23) };
	char text[600];

	(void)state;
	assert_string_equal(advice_of_run("wait-under-lock", &order, VTB_E_COND_WAKE, false, text, sizeof(text)),
	                    expected);
	assert_string_equal(advice_of_run("wait-under-lock", &later, VTB_E_COND_WAKE, false, text, sizeof(text)),
	                    expected); /* what it would have done with the lock */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_predicate_is_to_be_changed_with_the_mutex_held),
		cmocka_unit_test(a_change_is_to_be_signalled),
		cmocka_unit_test(what_was_signalled_is_to_be_kept),
		cmocka_unit_test(what_is_read_before_it_is_there_is_to_be_told_of_later),
		cmocka_unit_test(a_condition_is_to_be_tested_again),
		cmocka_unit_test(without_a_known_mutex_nothing_is_said_of_a_predicate),
		cmocka_unit_test(parts_of_a_circle_are_to_be_one_step),
		cmocka_unit_test(a_block_is_to_outlive_its_users),
		cmocka_unit_test(who_freed_a_block_and_uses_it_is_to_give_it_back_once),
		cmocka_unit_test(a_thread_is_to_end_before_its_object),
		cmocka_unit_test(the_condition_that_is_to_be_signalled_is_named),
		cmocka_unit_test(a_lock_is_to_go_before_a_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
