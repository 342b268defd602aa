/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses without hooks, in programs whose functions say by their names what is to be found. */
#include "vtb/blind_code.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "vtb/target.h"

#define FUNCTIONS 60 /* in the program, those of the start code among them */

static size_t asked;  /* whether to stop */
static size_t due_at; /* asked for the n-th time; 0: as it is */

bool __real_vtb_stop_due(struct vtb_stop *stop);
bool __wrap_vtb_stop_due(struct vtb_stop *stop);

bool __wrap_vtb_stop_due(struct vtb_stop *stop)
{
	asked++;
	return due_at ? asked >= due_at : __real_vtb_stop_due(stop);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static size_t count(const struct vtb_blind_place *places, const char *with)
{
	size_t n = 0;

	for (; places->function; places++)
		n += begins(places->function, with);
	return n;
}

static void finds(const char *name, bool optimised)
{
	struct vtb_blind_code code = { 0 };
	struct vtb_error err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", TARGETS, name);
	if (vtb_blind_code_find(path, false, NULL, &code, &err) < 0)
		fail_msg("%s", err.text);
	for (const struct vtb_blind_place *p = code.places; p->function; p++)
		if (!begins(p->function, "blind_") && !begins(p->function, "inline_"))
			fail_msg("%s: %s is named for nothing at 0x%lx", name, p->function, (unsigned long)p->addr);
	if (TSAN_HOOKS == VTB_HOOKS_TSAN_GCC) {
		assert_int_equal(count(code.places, "blind_"), 16);
		assert_int_equal(count(code.places, "inline_"), optimised ? 3 : 0);
	}
	assert_int_equal(count(code.places, "blind_assembler"), 1);
	assert_int_equal(count(code.places, "blind_without_hooks"), 1);
	vtb_blind_code_fini(&code);
}

/* No hook can have told of the access, so it is given one; so is a short function that lies among others with hooks. */
static void assembler_and_what_is_left_out_get_hooks(void **state)
{
	static const char *const levels[] = { "O0", "O1", "O2", "O3" };

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		struct vtb_blind_code code = { 0 };
		char path[4096];
		size_t given = 0;

		snprintf(path, sizeof(path), "%s/blind-%s", TARGETS, levels[i]);
		assert_int_equal(vtb_blind_code_find(path, false, NULL, &code, NULL), 0);
		for (const struct vtb_blind_place *p = code.places; p->function; p++)
			if (!strcmp(p->function, "blind_assembler") || !strcmp(p->function, "blind_without_hooks"))
				given += p->in_sites;
		assert_int_equal(given, 2);
		vtb_blind_code_fini(&code);
	}
}

/* Of what is so large that it would take a second nothing is looked at before the start, unless threads surely meet
 * there. */
static void large_files_are_left_alone(void **state)
{
	const struct vtb_call_sites small = { .n_tells = 30000 }, large = { .n_tells = 40000 },
	                            meet = { .n_tells = 40000, .atomics = true };

	(void)state;
	assert_true(vtb_blind_code_gets_hooks(&small));
	assert_false(vtb_blind_code_gets_hooks(&large));
	assert_true(vtb_blind_code_gets_hooks(&meet));
}

static void without_optimisation(void **state)
{
	(void)state;
	finds("blind-O0", false);
}

static void optimised_a_little(void **state)
{
	(void)state;
	finds("blind-O1", true);
}

static void optimised(void **state)
{
	(void)state;
	finds("blind-O2", true);
}

static void optimised_much(void **state)
{
	(void)state;
	finds("blind-O3", true);
}

static void for_size(void **state)
{
	(void)state;
	finds("blind-Os", true);
}

static void at_a_fixed_address(void **state)
{
	(void)state;
	finds("blind-fixed", true);
}

static void without_symbols_nobody_knows(void **state)
{
	struct vtb_blind_code code = { 0 };

	(void)state;
	assert_int_equal(vtb_blind_code_find(TARGETS "/sites-stripped", false, NULL, &code, NULL), 0);
	assert_string_equal(code.places[0].function, "");
	assert_null(code.places[1].function);
	vtb_blind_code_fini(&code);
}

static void without_hooks_nothing_is_said(void **state)
{
	struct vtb_blind_code code = { 0 };

	(void)state;
	assert_int_equal(vtb_blind_code_find(TARGETS "/plain", false, NULL, &code, NULL), 0);
	assert_null(code.places[0].function);
	vtb_blind_code_fini(&code);
}

static void who_has_no_time_is_told_so(void **state)
{
	volatile sig_atomic_t flag = 1;
	struct vtb_stop over = { .deadline = 1 }, interrupted = { .interrupted = &flag };
	struct vtb_blind_code code = { 0 };

	(void)state;
	assert_int_equal(vtb_blind_code_find(TARGETS "/blind-O2", false, &over, &code, NULL), -ETIME);
	assert_int_equal(vtb_blind_code_find(TARGETS "/blind-O2", false, &interrupted, &code, NULL), -ETIME);
}

/* A function of thousands of blocks takes seconds. */
static void between_the_blocks_of_a_function_it_is_asked_for_the_time(void **state)
{
	struct vtb_stop stop = { 0 };
	struct vtb_blind_code code = { 0 };
	size_t all;

	(void)state;
	for (int i = 0; i < 2; i++) { /* the calls of hooks are kept by the first */
		asked = 0;
		assert_int_equal(vtb_blind_code_find(TARGETS "/blind-O0", false, &stop, &code, NULL), 0);
		vtb_blind_code_fini(&code);
	}
	all = asked;
	assert_true(all > (size_t)4 * FUNCTIONS);
	for (due_at = 1; due_at <= all; due_at += 1 + due_at / 16) {
		asked = 0;
		assert_int_equal(vtb_blind_code_find(TARGETS "/blind-O0", false, &stop, &code, NULL), -ETIME);
		assert_int_equal(asked, due_at);
	}
	due_at = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(assembler_and_what_is_left_out_get_hooks),
		cmocka_unit_test(large_files_are_left_alone),
		cmocka_unit_test(without_optimisation),
		cmocka_unit_test(optimised_a_little),
		cmocka_unit_test(optimised),
		cmocka_unit_test(optimised_much),
		cmocka_unit_test(for_size),
		cmocka_unit_test(at_a_fixed_address),
		cmocka_unit_test(without_symbols_nobody_knows),
		cmocka_unit_test(without_hooks_nothing_is_said),
		cmocka_unit_test(who_has_no_time_is_told_so),
		cmocka_unit_test(between_the_blocks_of_a_function_it_is_asked_for_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
