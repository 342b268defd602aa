/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow: what is there stays, what is new has the value asked for, a failure leaves the array as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "fail_alloc.h"
#include "vtb/array.h"

struct row {
	uint32_t a, b;
};

struct owner {
	struct row *rows;
	size_t n_rows, cap_rows;
};

static void new_elements_have_the_value_and_old_ones_keep_theirs(void **state)
{
	struct owner o = { 0 };

	(void)state;
	assert_int_equal(vtb_array_extend(&o, rows, 0, (struct row){ 9, 9 }), 0);
	assert_int_equal(o.n_rows, 0);
	assert_int_equal(vtb_array_extend(&o, rows, 3, (struct row){ 1, 2 }), 0);
	assert_int_equal(vtb_array_extend(&o, rows, 100, (struct row){ 3, 4 }), 0);
	assert_int_equal(vtb_array_extend(&o, rows, 50, (struct row){ 5, 6 }), 0); /* it has as many */
	assert_int_equal(o.n_rows, 100);
	for (size_t i = 0; i < o.n_rows; i++) {
		assert_int_equal(o.rows[i].a, i < 3 ? 1 : 3);
		assert_int_equal(o.rows[i].b, i < 3 ? 2 : 4);
	}
	free(o.rows);
}

static void a_failed_growth_keeps_what_is_there(void **state)
{
	struct owner o = { 0 };

	(void)state;
	assert_int_equal(vtb_array_extend(&o, rows, 8, (struct row){ 1, 2 }), 0);
	fail_in = 1;
	assert_int_equal(vtb_array_extend(&o, rows, 9, (struct row){ 3, 4 }), -ENOMEM);
	assert_int_equal(o.n_rows, 8);
	assert_int_equal(o.rows[7].b, 2);
	assert_int_equal(vtb_array_room(&o, rows), 0);
	free(o.rows);
}

static void the_length_wanted_is_asked_for_once(void **state)
{
	struct owner o = { 0 };
	size_t asked = 0;

	(void)state;
	assert_int_equal(vtb_array_extend(&o, rows, (asked++, 5), (struct row){ 0 }), 0);
	assert_int_equal(o.n_rows, 5);
	assert_int_equal(asked, 1);
	free(o.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_elements_have_the_value_and_old_ones_keep_theirs),
		cmocka_unit_test(a_failed_growth_keeps_what_is_there),
		cmocka_unit_test(the_length_wanted_is_asked_for_once),
	};

	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
