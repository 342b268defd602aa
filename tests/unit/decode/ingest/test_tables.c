/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "memory/tables.h"

static void a_table_is_an_objects_for_one_size_of_access(void **state)
{
	struct tables t = { 0 };
	const struct table *x = tables_of(&t, 7, 2, 4099);

	(void)state;
	assert_non_null(x);
	assert_int_equal(x->n, 1024);
	for (uint64_t i = 0; i < x->n; i++)
		assert_int_equal(x->vars[i], 0);
	x->vars[1023] = 5;
	assert_int_equal(tables_of(&t, 7, 3, 4099)->vars[511], 0);
	assert_int_equal(tables_of(&t, 8, 2, 4099)->vars[1023], 0);
	assert_int_equal(tables_of(&t, 7, 2, 4099)->vars[1023], 5);
	tables_fini(&t);
}

static void a_larger_block_keeps_what_is_known(void **state)
{
	struct tables t = { 0 };

	(void)state;
	tables_of(&t, 7, 0, 5000)->vars[4999] = 5;
	assert_int_equal(tables_of(&t, 7, 0, 9000)->n, 9000);
	assert_int_equal(tables_of(&t, 7, 0, 9000)->vars[4999], 5);
	assert_int_equal(tables_of(&t, 7, 0, 9000)->vars[5000], 0);
	assert_int_equal(tables_of(&t, 7, 0, 4096)->n, 9000);
	tables_fini(&t);
}

static void there_is_a_limit_for_all_of_them(void **state)
{
	struct tables t = { 0 };

	(void)state;
	assert_null(tables_of(&t, 1, 0, TABLES_BYTES));
	assert_non_null(tables_of(&t, 2, 2, TABLES_BYTES - 4096));
	assert_null(tables_of(&t, 3, 2, 8192));
	assert_non_null(tables_of(&t, 4, 2, 4096));
	assert_null(tables_of(&t, 5, 4, 4096));
	assert_non_null(tables_of(&t, 4, 2, 4096));
	tables_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_an_objects_for_one_size_of_access),
		cmocka_unit_test(a_larger_block_keeps_what_is_known),
		cmocka_unit_test(there_is_a_limit_for_all_of_them),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
