/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The set of classes against a sorted list, and at its limit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "class_set.h"
#include "rng.h"

#define MANY 20000u

static void each_class_is_new_once(void **state)
{
	struct vtb_class_set s = { 0 };
	bool is_new;

	(void)state;
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < MANY; i++) {
			assert_int_equal(vtb_class_set_add(&s, i % 3 ? vtb_mix64(i) : i, &is_new), 0); /* also neighbours, and 0 */
			assert_int_equal(is_new, round == 0);
		}
	assert_int_equal(s.used, MANY);
	assert_int_equal(s.not_kept, 0);
	assert_true(s.room <= 2 * MANY);
	assert_true(vtb_class_set_merged(&s) > 1e-12 && vtb_class_set_merged(&s) < 1e-10);
	vtb_class_set_fini(&s);
}

static void a_full_set_keeps_what_it_has_and_counts_the_rest(void **state)
{
	struct vtb_class_set s = { .limit = 1024 };
	bool is_new;

	(void)state;
	for (uint64_t i = 1; i <= 2000; i++) {
		assert_int_equal(vtb_class_set_add(&s, i, &is_new), 0);
		assert_true(is_new);
	}
	assert_int_equal(s.room, 1024);
	assert_int_equal(s.used, 768);
	assert_int_equal(s.not_kept, 2000 - 768);
	assert_int_equal(vtb_class_set_add(&s, 1, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(vtb_class_set_add(&s, 2000, &is_new), 0);
	assert_true(is_new);
	vtb_class_set_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_is_new_once),
		cmocka_unit_test(a_full_set_keeps_what_it_has_and_counts_the_rest),
	};

	return cmocka_run_group_tests_name("class_set", tests, NULL, NULL);
}
