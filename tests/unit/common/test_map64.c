/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "vtb/map64.h"

static void a_map_finds_all_that_was_put_in(void **state)
{
	struct vtb_map64 map = { 0 };
	uint64_t value;

	(void)state;
	assert_false(vtb_map64_get(&map, 0, &value));
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(vtb_map64_set(&map, i * 4096, i), 0);
	for (uint64_t i = 0; i < 10000; i++) {
		assert_true(vtb_map64_get(&map, i * 4096, &value));
		assert_int_equal(value, i);
		assert_false(vtb_map64_get(&map, i * 4096 + 1, &value));
	}
	assert_int_equal(vtb_map64_set(&map, 4096, 7), 0);
	assert_true(vtb_map64_get(&map, 4096, &value));
	assert_int_equal(value, 7);
	assert_int_equal(map.n, 10000);
	vtb_map64_clear(&map);
	assert_false(vtb_map64_get(&map, 4096, &value));
	vtb_map64_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_finds_all_that_was_put_in),
	};

	return cmocka_run_group_tests_name("map64", tests, NULL, NULL);
}
