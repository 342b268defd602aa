/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reports call variables in blocks: by the type, and blocks of one line by who asked for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vtb/told_variable.h"

#define OPEN "open() at bank.cc:15"
#define STACK(a, b, c) .stack = { a, b, c, VTB_NONE }

/* bank.cc:15 asks for the memory in a function of the library, for two lines and for one of the library. */
static struct vtb_site sites[] = {
	{ .function = "std::make_unique()", .file = "/usr/include/c++/12/bits/unique_ptr.h", .line = 1065 },
	{ .function = "open()", .file = "bank.cc", .line = 15 },
	{ .function = "main", .file = "bank.cc", .line = 28 },
	{ .function = "main", .file = "bank.cc", .line = 29 },
	{ .function = "std::map::operator[]()", .file = "/usr/include/c++/12/bits/stl_map.h", .line = 500 },
};
static struct vtb_object objects[] = {
	{ .kind = VTB_OBJ_HEAP, .name = OPEN, .type = "Account", .site = 1, STACK(0, 1, 2) },
	{ .kind = VTB_OBJ_HEAP, .name = OPEN, .type = "Account", .site = 1, STACK(0, 1, 3) },
	{ .kind = VTB_OBJ_SYNC, .name = OPEN "->m", .type = "std::mutex", .site = VTB_NONE, STACK(0, 1, 3) },
	{ .kind = VTB_OBJ_GLOBAL, .name = "total", .type = "long", .site = VTB_NONE, .stack = { VTB_NONE } },
	{ .kind = VTB_OBJ_HEAP, .name = OPEN " (2nd)", .type = "", .site = 1, STACK(0, 1, 2) },
};
static struct vtb_variable variables[] = {
	{ .object = 0, .name = OPEN "->balance" }, { .object = 1, .name = OPEN "->balance" },
	{ .object = 2, .name = OPEN "->m" },       { .object = 3, .name = "total" },
	{ .object = 4, .name = OPEN " (2nd)+8" },
};

static struct vtb_symtab table(size_t n_objects)
{
	return (struct vtb_symtab){ .sites = sites,
		                    .n_sites = sizeof(sites) / sizeof(*sites),
		                    .objects = objects,
		                    .n_objects = n_objects,
		                    .variables = variables,
		                    .n_variables = sizeof(variables) / sizeof(*variables) };
}

static void is_told(const struct vtb_symtab *tab, uint32_t variable, const char *expected)
{
	char buf[200];

	assert_string_equal(vtb_told_variable(tab, variable, buf, sizeof(buf)), expected);
}

static void blocks_are_told_by_their_type(void **state)
{
	const struct vtb_symtab one = table(1), all = table(5);
	char buf[200];

	(void)state;
	is_told(&one, 0, "balance of the Account from bank.cc:15");
	is_told(&all, 3, "total");
	is_told(&all, 4, "byte 8 of the block from bank.cc:15 (2nd)");
	is_told(&all, 99, "?");
	assert_string_equal(vtb_told_alone(&all, 0, buf, sizeof(buf)), "balance of the Account from bank.cc:15");
}

static void blocks_of_one_line_are_told_apart_by_their_callers(void **state)
{
	const struct vtb_symtab all = table(5);

	(void)state;
	is_told(&all, 0, "balance of the Account from bank.cc:28");
	is_told(&all, 1, "balance of the Account from bank.cc:29");
	is_told(&all, 2, "m of the Account from bank.cc:29"); /* a lock goes with its block */
}

static void callers_that_do_not_tell_them_apart_are_not_named(void **state)
{
	const struct vtb_symtab all = table(5);

	(void)state;
	objects[1].stack[2] = 2; /* the same line */
	is_told(&all, 0, "balance of the Account from bank.cc:15");
	objects[0].stack[2] = 4; /* a line of the library */
	is_told(&all, 0, "balance of the Account from bank.cc:15");
	objects[0].stack[2] = 3;
	objects[1].type = "Savings"; /* they are told apart already */
	is_told(&all, 0, "balance of the Account from bank.cc:15");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_told_by_their_type),
		cmocka_unit_test(blocks_of_one_line_are_told_apart_by_their_callers),
		cmocka_unit_test(callers_that_do_not_tell_them_apart_are_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
