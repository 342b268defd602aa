/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a core whatever kind of mistake it shows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/core_class.h"

enum { POINTER, BLOCK, HANDLE, LOCK, HANDLERS, VARIABLES };
enum { COPY, ASSIGN, END, USE, JOIN, OTHER, SITES };

static struct vtb_object thread = { .kind = VTB_OBJ_THREAD, .thread = 1 };
static struct vtb_variable variables[VARIABLES] = { [POINTER] = { .name = "current", .object = VTB_NONE },
	                                            [BLOCK] = { .name = "block", .object = VTB_NONE },
	                                            [HANDLE] = { .name = "thread 0.0", .object = 0 },
	                                            [LOCK] = { .name = "m", .object = VTB_NONE },
	                                            [HANDLERS] = { .name = "handlers_at_exit", .object = VTB_NONE } };
static struct vtb_thread threads[] = { { .path = "0" }, { .path = "0.0" } };
static struct vtb_site sites[SITES];
static const struct vtb_symtab tab = { .sites = sites,
	                               .n_sites = SITES,
	                               .variables = variables,
	                               .n_variables = VARIABLES,
	                               .objects = &thread,
	                               .n_objects = 1,
	                               .threads = threads,
	                               .n_threads = 2 };

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SITES; i++)
		sites[i] =
		    (struct vtb_site){ .function = "f()", .file = "c.cc", .line = 10 + i, .via = "", .inside = "" };
	sites[COPY].via = "std::shared_ptr<Config>::shared_ptr(std::shared_ptr<Config> const&)";
	sites[ASSIGN].via = "std::shared_ptr<Config>::operator=(std::shared_ptr<Config> const&)";
	sites[END].function = sites[JOIN].function = "Logger::~Logger()";
	return 0;
}

static struct vtb_event does(uint16_t who, uint8_t kind, uint32_t var, uint32_t site)
{
	struct vtb_event e = { .thread = who, .kind = kind, .var = var, .site = site, .aux = VTB_NONE };

	vtb_event_classify(&e);
	return e;
}

static struct vtb_core_op op_of(const struct vtb_event *events, size_t at)
{
	struct vtb_core_op op = { .thread = events[at].thread,
		                  .site = events[at].site,
		                  .occurrence = 1,
		                  .var = events[at].var,
		                  .kind = events[at].kind };

	for (size_t i = 0; i <= at; i++)
		op.index += events[i].thread == events[at].thread;
	return op;
}

/* Of a run of so many events, in which number `first` comes before the last one. */
static const char *remark(struct vtb_event *events, size_t n, size_t first, struct vtb_event *passing, size_t n_passing)
{
	static char text[2000];
	struct vtb_order_literal literal = { op_of(events, first), op_of(events, n - 1) };
	const struct vtb_core core = { .literals = &literal,
		                       .n_literals = 1,
		                       .exec = { .events = events, .n_events = n } };
	const struct vtb_exec passes = { .events = passing, .n_events = n_passing };
	struct vtb_core_view view;

	assert_int_equal(vtb_core_view_of(&core, &tab, &view), 0);
	view.passing = passing ? &passes : NULL;
	vtb_core_tell(&view, vtb_core_class_named("order-violation"), text, sizeof(text));
	vtb_core_view_fini(&view);
	return text;
}

static const char *shared(uint8_t kind, uint32_t site, bool locked)
{
	struct vtb_event events[] = { does(0, locked ? VTB_E_LOCK : VTB_E_YIELD, LOCK, OTHER),
		                      does(0, VTB_E_READ, POINTER, COPY), does(0, VTB_E_UNLOCK, LOCK, OTHER),
		                      does(1, locked ? VTB_E_LOCK : VTB_E_YIELD, LOCK, OTHER),
		                      does(1, kind, POINTER, site) };

	return remark(events, 5, 1, NULL, 0);
}

static void one_shared_pointer_of_two_threads_is_told(void **state)
{
	(void)state;
	assert_non_null(
	    strstr(shared(VTB_E_WRITE, ASSIGN, false),
	           "current is one std::shared_ptr, which 0.0 changes at c.cc:11 while 0 uses it at c.cc:10."));
	assert_string_equal(shared(VTB_E_WRITE, ASSIGN, true), "");
	assert_string_equal(shared(VTB_E_WRITE, OTHER, false), "");
	assert_string_equal(shared(VTB_E_ATOMIC_RMW, ASSIGN, false), ""); /* a count */
}

/* The destructor joins after it, or has joined before, or somebody else. */
static const char *destroyed(uint32_t site, bool before, uint32_t handle, bool known)
{
	struct vtb_event events[] = { does(0, VTB_E_FREE, BLOCK, site), does(1, VTB_E_READ, BLOCK, USE) };
	struct vtb_event passing[] = {
		does(1, VTB_E_READ, BLOCK, USE),
		does(0, before ? VTB_E_THREAD_JOIN : VTB_E_FREE, before ? handle : BLOCK, before ? JOIN : site),
		does(0, before ? VTB_E_FREE : VTB_E_THREAD_JOIN, before ? BLOCK : handle, before ? site : JOIN)
	};

	return remark(events, 2, 0, known ? passing : NULL, 3);
}

static void what_is_destroyed_before_its_thread_is_joined_is_told(void **state)
{
	(void)state;
	assert_non_null(strstr(destroyed(END, false, HANDLE, true),
	                       "Logger::~Logger destroys at c.cc:12 what 0.0 uses, and waits for the end of 0.0 only "
	                       "after that, at c.cc:14."));
	sites[JOIN].line = sites[END].line;
	assert_non_null(strstr(destroyed(END, false, HANDLE, true),
	                       "Logger::~Logger (c.cc:12) destroys what 0.0 uses, and only then the member that"));
}

static void who_joins_first_or_not_at_all_or_is_no_destructor_is_not(void **state)
{
	(void)state;
	assert_string_equal(destroyed(END, true, HANDLE, true), "");
	assert_string_equal(destroyed(END, false, POINTER, true), "");
	assert_string_equal(destroyed(OTHER, false, HANDLE, true), "");
	assert_string_equal(destroyed(END, false, HANDLE, false), "");
}

/* Thread 1 sees that it is told to end; what thread 0 has put is left, or another has looked at it; does thread 1 look
 * there in the run that passes, and end in this one? Or is it older than thread 1? */
static const char *leaves_since(bool older, bool looked, bool ends, bool looks)
{
	static char text[2000];
	const struct vtb_event born = does(0, VTB_E_THREAD_CREATE, VTB_NONE, OTHER);
	const struct vtb_event put = does(0, VTB_E_WRITE, BLOCK, ASSIGN);
	struct vtb_event events[] = { older ? put : born,
		                      older ? born : put,
		                      does(0, VTB_E_WRITE, POINTER, END),
		                      does(looked ? 1 : 0, VTB_E_READ, BLOCK, OTHER),
		                      does(1, VTB_E_READ, POINTER, USE),
		                      does(ends ? 1 : 0, VTB_E_THREAD_END, VTB_NONE, OTHER) };
	struct vtb_event passing[] = { older ? put : born, older ? born : put,
		                       does(looks ? 1 : 0, VTB_E_READ, BLOCK, JOIN) };
	struct vtb_order_literal literal = { op_of(events, 2), op_of(events, 4) };
	const struct vtb_core core = { .literals = &literal,
		                       .n_literals = 1,
		                       .exec = { .events = events, .n_events = 6 } };
	const struct vtb_exec passes = { .events = passing, .n_events = 3 };
	struct vtb_core_view view;

	assert_int_equal(vtb_core_view_of(&core, &tab, &view), 0);
	view.passing = &passes;
	vtb_core_tell_unrepaired(&view, text, sizeof(text));
	vtb_core_view_fini(&view);
	return text;
}

static const char *leaves(bool looked, bool ends, bool looks)
{
	return leaves_since(false, looked, ends, looks);
}

static void what_a_thread_leaves_when_it_ends_is_told(void **state)
{
	(void)state;
	assert_non_null(
	    strstr(leaves(false, true, true),
	           "0.0 ends once it has read current at c.cc:13, which 0 writes at c.cc:12, and leaves what 0 "
	           "has put at c.cc:11: it does not come to c.cc:14, where it looks at block"));
	assert_string_equal(leaves(true, true, true), "");
	assert_string_equal(leaves(false, false, true), "");
	assert_string_equal(leaves(false, true, false), "");
	assert_string_equal(leaves_since(true, false, true, true), "");
}

/* Thread `who` has begun to end the process before 0 frees what 0.0 uses; in a run that passes 0.0 is awaited, or not.
 */
static const char *at_exit(uint16_t who, bool joined, bool known)
{
	struct vtb_event events[] = { does(who, VTB_E_ATOMIC_LOAD, HANDLERS, OTHER), does(0, VTB_E_FREE, BLOCK, OTHER),
		                      does(1, VTB_E_READ, BLOCK, USE) };
	struct vtb_event passing[] = { does(0, joined ? VTB_E_THREAD_JOIN : VTB_E_YIELD, HANDLE, OTHER) };

	return remark(events, 3, 1, known ? passing : NULL, 1);
}

static void what_is_static_is_gone_before_a_thread_that_nobody_awaits(void **state)
{
	(void)state;
	assert_non_null(strstr(at_exit(0, false, true),
	                       "0 ends the process, which destroys all that is static, while 0.0 still uses it"));
	assert_string_equal(at_exit(1, false, true), "");
	assert_string_equal(at_exit(0, true, true), "");
	assert_string_equal(at_exit(0, false, false), "");
}

/* Thread 1 takes the last task away (POINTER) and has its result (BLOCK) later; thread 0 tests the one, waiting for it
 * at site `wait` in another run, and reads the other, before that is there or not. */
static const char *told(uint32_t wait, bool early, bool other)
{
	static char text[2000];
	struct vtb_event events[] = {
		does(1, VTB_E_WRITE, POINTER, END), does(0, VTB_E_READ, POINTER, USE),
		does(early ? 0 : 1, early ? VTB_E_READ : VTB_E_WRITE, BLOCK, early ? JOIN : OTHER),
		does(early ? 1 : 0, early ? VTB_E_WRITE : VTB_E_READ, BLOCK, early ? OTHER : JOIN)
	};
	struct vtb_event passing[] = { does(other ? 1 : 0, VTB_E_COND_WAIT, HANDLE, wait) };
	struct vtb_order_literal literals[] = { { op_of(events, 0), op_of(events, 1) },
		                                { op_of(events, 2), op_of(events, 3) } };
	const struct vtb_core core = { .literals = literals,
		                       .n_literals = 2,
		                       .exec = { .events = events, .n_events = 4 } };
	const struct vtb_exec passes = { .events = passing, .n_events = 1 };
	struct vtb_core_view view;

	assert_int_equal(vtb_core_view_of(&core, &tab, &view), 0);
	view.passing = &passes;
	vtb_core_tell(&view, vtb_core_class_named("multi-variable-atomicity-violation"), text, sizeof(text));
	vtb_core_view_fini(&view);
	return text;
}

static void who_is_told_to_go_on_before_the_work_is_done(void **state)
{
	(void)state;
	assert_non_null(
	    strstr(told(USE, true, false),
	           "0.0 lets 0 go on too early: it changes current at c.cc:12, which 0 waits for at c.cc:13, and comes "
	           "to c.cc:15 only then, what 0 looks at next, at c.cc:14. What is waited for must be told last"));
	assert_non_null(strstr(told(JOIN, true, false), "too early")); /* the wait stands below the test */
	assert_string_equal(told(COPY, true, false), "");
	assert_string_equal(told(USE, true, true), ""); /* another thread waits */
	assert_string_equal(told(USE, false, false), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_shared_pointer_of_two_threads_is_told, set_up),
		cmocka_unit_test_setup(what_is_destroyed_before_its_thread_is_joined_is_told, set_up),
		cmocka_unit_test_setup(what_is_static_is_gone_before_a_thread_that_nobody_awaits, set_up),
		cmocka_unit_test_setup(who_is_told_to_go_on_before_the_work_is_done, set_up),
		cmocka_unit_test_setup(what_a_thread_leaves_when_it_ends_is_told, set_up),
		cmocka_unit_test_setup(who_joins_first_or_not_at_all_or_is_no_destructor_is_not, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
