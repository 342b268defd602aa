/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of mistakes around conditions: is the wait to blame, or what others do beside it? */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "repairs/repairs.h"
#include "scene.h"

/* Beside one who waits idly, X was looked at and Y set later, with the other way about in between; with a lock? */
static const char *idle_beside_steps(bool locks)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t reads, writes, updates, stores;

	waits(&s, 3, COND, LOCK, VTB_E_COND_WAIT);
	does(&s, 0, VTB_E_COND_SIGNAL, COND, 1);
	if (locks)
		does(&s, 1, VTB_E_LOCK, LOCK, 0);
	reads = does(&s, 1, VTB_E_READ, X, 0);
	if (locks)
		does(&s, 2, VTB_E_LOCK, LOCK, 0);
	writes = does(&s, 2, VTB_E_WRITE, X, 1);
	updates = does(&s, 2, VTB_E_ATOMIC_RMW, Y, 1);
	stores = does(&s, 1, VTB_E_ATOMIC_STORE, Y, 0);
	still_waits(&s, 3, COND);
	before(&s, reads, writes);
	before(&s, updates, stores);
	return kind_of(&s);
}

static void who_waits_idly_is_not_to_blame_for_steps_that_come_between_each_other(void **state)
{
	(void)state;
	assert_string_equal(idle_beside_steps(false), "multi-variable-atomicity-violation");
	assert_string_equal(idle_beside_steps(true), "too-few-woken");
}

/* Two places are looked at before the wait; so many of them again, at their sites or at others of their line, and the
 * use. Does who changes one meanwhile take the mutex? */
static const char *woken_by_lines(unsigned again, bool locks, bool other_sites)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	size_t take, use, test;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	test = does(&s, 1, VTB_E_READ, X, 0);
	does(&s, 1, VTB_E_READ, Y, 0);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	if (locks)
		does(&s, 2, VTB_E_LOCK, LOCK, 0);
	take = does(&s, 2, VTB_E_WRITE, X, 1);
	if (locks)
		does(&s, 2, VTB_E_UNLOCK, LOCK, 0);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAKE);
	for (size_t i = 0; i < again; i++) {
		const size_t next = does(&s, 1, VTB_E_READ, X, 1);

		if (other_sites)
			s.lines[next] = s.lines[test + i] = 7;
		else
			s.events[next].site = s.events[test + i].site;
	}
	use = does(&s, 1, VTB_E_READ, X, 1);
	before(&s, take, use);
	return kind_of(&s);
}

static const char *woken(unsigned again, bool locks)
{
	return woken_by_lines(again, locks, false);
}

static void a_test_that_the_compiler_has_made_two_of_is_one(void **state)
{
	(void)state;
	assert_string_equal(woken_by_lines(1, true, true), "order-violation");
}

static void a_use_after_a_wait_without_a_test_is_not_tested_again(void **state)
{
	(void)state;
	assert_string_equal(woken(0, true), "check-not-repeated");
	assert_string_equal(woken(1, true), "order-violation"); /* of "a || b" only a need be looked at */
	assert_string_equal(woken(2, true), "order-violation");
	assert_string_equal(woken(0, false), "order-violation"); /* a test would not keep the other out */
}

enum { USERS = SITES / 2 }; /* of an operation: its line is so many sites further */

static uint32_t users_line(const struct vtb_core_op *op, const struct vtb_exec *run, const void *places)
{
	(void)run;
	(void)places;
	return op->site + USERS;
}

/* A library looks at X in the same line for both; are the user's lines one, too? */
static const char *looked_at_by_a_library(bool one_line)
{
	struct scene s = { .verdict = VTB_V_ASSERTION, .place = users_line };
	size_t test, use;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	test = does(&s, 1, VTB_E_READ, X, 0);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAKE);
	use = does(&s, 1, VTB_E_READ, X, 0);
	s.lines[test] = s.lines[use] = 273;
	if (one_line)
		s.lines[USERS + test] = s.lines[USERS + use] = 11;
	before_what_was_to_come(&s, use, 2, VTB_E_WRITE, X);
	does(&s, 1, VTB_E_WRITE, X, 5);
	return kind_of(&s);
}

static void what_a_library_looks_at_for_another_line_is_no_test_of_that_one(void **state)
{
	(void)state;
	assert_string_equal(looked_at_by_a_library(false), "check-not-repeated");
	assert_string_not_equal(looked_at_by_a_library(true), "check-not-repeated");
}

/* The first test is not to be seen, but the thread waits again where it has waited: it has come round a loop. */
static const char *woken_and_waits(bool again)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t wait, use, take;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	does(&s, 1, VTB_E_WRITE, X, 1);
	wait = waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	does(&s, 2, VTB_E_LOCK, LOCK, 0);
	take = does(&s, 2, VTB_E_WRITE, X, 1);
	does(&s, 2, VTB_E_UNLOCK, LOCK, 0);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAKE);
	use = does(&s, 1, VTB_E_READ, X, 1);
	if (again)
		s.events[waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT)].site = s.events[wait].site;
	before(&s, take, use);
	return kind_of(&s);
}

static void who_waits_again_has_tested_again(void **state)
{
	(void)state;
	assert_string_equal(woken_and_waits(false), "check-not-repeated");
	assert_string_equal(woken_and_waits(true), "order-violation");
}

/* Woken, it may let its lock go, and then looks at X elsewhere, before it is written over. */
static const char *looked_at_later(bool lets_go)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	size_t use, take;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	does(&s, 1, VTB_E_READ, X, 0);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAKE);
	if (lets_go)
		does(&s, 1, VTB_E_UNLOCK, LOCK, 0);
	does(&s, 1, VTB_E_READ, X, 1);
	use = does(&s, 1, VTB_E_WRITE, X, 0);
	if (!lets_go)
		does(&s, 1, VTB_E_UNLOCK, LOCK, 0);
	does(&s, 2, VTB_E_LOCK, LOCK, 0);
	take = does(&s, 2, VTB_E_READ, X, 1);
	before(&s, use, take);
	return kind_of(&s);
}

static void what_is_looked_at_after_the_lock_is_no_use_of_the_wait(void **state)
{
	(void)state;
	assert_string_equal(looked_at_later(false), "check-not-repeated");
	assert_string_equal(looked_at_later(true), "order-violation");
}

/* Two exchange a top of a stack, thread 1 in vain; the last order of the core is of what both count beside it. */
static void the_step_of_an_aba_is_that_of_the_exchange_that_succeeds(void **state)
{
	static struct vtb_site sites[SITES];
	static struct vtb_variable variables[VARIABLES] = { { .object = VTB_NONE, .name = "top" } };
	const struct vtb_symtab tab = {
		.sites = sites, .n_sites = SITES, .variables = variables, .n_variables = VARIABLES
	};
	static const struct vtb_core_repair_opts opts = { 0 };
	struct scene s = { .verdict = VTB_V_ASSERTION };
	const size_t looks = does(&s, 1, VTB_E_ATOMIC_LOAD, X, 3), takes = does(&s, 2, VTB_E_ATOMIC_RMW, X, 1),
	             gives = does(&s, 2, VTB_E_ATOMIC_RMW, X, 3), wins = does(&s, 1, VTB_E_ATOMIC_RMW, X, 2),
	             counts = does(&s, 1, VTB_E_ATOMIC_RMW, Y, 2), leaves = does(&s, 2, VTB_E_ATOMIC_RMW, Y, 1);
	struct vtb_core core = { .literals = s.literals };
	struct repair r = { .kind = "one-step", .core = &core, .n_pieces = 2 };
	char text[600];

	(void)state;
	for (size_t i = 0; i < SITES; i++)
		sites[i] = (struct vtb_site){ .function = "f", .file = "f.c", .line = 100 + (uint32_t)i };
	before(&s, looks, takes);
	before(&s, gives, wins);
	before(&s, counts, leaves);
	core.n_literals = s.n_literals;
	core.exec = (struct vtb_exec){ .events = s.events, .n_events = s.n_events };
	r.class = vtb_core_class_named("aba");
	r.pieces[0] = (struct repair_piece){ .first = op_of(&s, takes), .last = op_of(&s, leaves), .run = &core.exec };
	r.pieces[1] = (struct repair_piece){ .first = op_of(&s, looks), .last = op_of(&s, wins), .run = &core.exec };
	repair_words(&r, &tab, &opts, text, sizeof(text));
	assert_non_null(
	    strstr(text, "From f.c:100 to f.c:103 must be one step, although top has the same value again"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_step_of_an_aba_is_that_of_the_exchange_that_succeeds),
		cmocka_unit_test(who_waits_idly_is_not_to_blame_for_steps_that_come_between_each_other),
		cmocka_unit_test(a_test_that_the_compiler_has_made_two_of_is_one),
		cmocka_unit_test(a_use_after_a_wait_without_a_test_is_not_tested_again),
		cmocka_unit_test(what_a_library_looks_at_for_another_line_is_no_test_of_that_one),
		cmocka_unit_test(who_waits_again_has_tested_again),
		cmocka_unit_test(what_is_looked_at_after_the_lock_is_no_use_of_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
