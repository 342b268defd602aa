/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which accesses without a hook look like moves of inline assembler, and which like copies and text. */
#include "alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define PLACE ((struct blind_value){ .form = 1, .offset = 16 })
#define BESIDE(bytes) ((struct blind_value){ .form = 1, .offset = 16 + (bytes) })
#define ELSEWHERE ((struct blind_value){ .form = 2, .offset = 0 })
#define LOAD(addr, where, bytes)                                                             \
	{                                                                                    \
		.at = (where), .insn = (addr), .size = (bytes), .reads = true, .moves = true \
	}
#define STORE(addr, where, bytes)                                                             \
	{                                                                                     \
		.at = (where), .insn = (addr), .size = (bytes), .writes = true, .moves = true \
	}

static bool meet(struct alone *items, size_t n, struct alone_use *uses, size_t n_uses)
{
	const struct alones l = { .items = items, .n_items = n, .uses = uses, .n_uses = n_uses };

	return alone_meet(alone_moves(&l, false));
}

#define MEET(items) meet(items, sizeof(items) / sizeof(*(items)), NULL, 0)
#define MEET_BY(items, uses) meet(items, sizeof(items) / sizeof(*(items)), uses, sizeof(uses) / sizeof(*(uses)))

static void test_who_reads_and_writes_one_size_meets_others(void **state)
{
	struct alone both[] = { LOAD(1, PLACE, 4), STORE(2, ELSEWHERE, 4) },
	             sizes[] = { LOAD(1, PLACE, 4), STORE(2, ELSEWHERE, 8) }, read[] = { LOAD(1, PLACE, 4) },
	             given[] = { LOAD(1, PLACE, 4), STORE(2, ELSEWHERE, 4) };

	(void)state;
	assert_true(MEET(both));
	assert_false(MEET(sizes));
	assert_false(MEET(read));
	given[1].given = true; /* perhaps but a result */
	assert_false(MEET(given));
}

static void test_small_variables_may_lie_side_by_side(void **state)
{
	struct alone small[] = { LOAD(1, ELSEWHERE, 4), STORE(2, PLACE, 4), STORE(3, BESIDE(4), 4) },
	             large[] = { LOAD(1, ELSEWHERE, 8), STORE(2, PLACE, 8), STORE(3, BESIDE(8), 8) },
	             text[] = { LOAD(1, ELSEWHERE, 1), STORE(2, PLACE, 1), STORE(3, BESIDE(-4), 4) };

	(void)state;
	assert_true(MEET(small));
	assert_false(MEET(large)); /* pieces of a copy */
	text[2].moves = false;
	text[2].text = true;
	assert_false(MEET(text)); /* its last byte */
}

static void test_what_is_stored_as_it_was_loaded_is_a_copy(void **state)
{
	struct alone copy[] = { LOAD(1, PLACE, 4), STORE(2, ELSEWHERE, 4) },
	             argument[] = { LOAD(1, PLACE, 4), STORE(2, ELSEWHERE, 4) };
	struct alone_use stored[] = { { 1, ALONE_STORED } }, told[] = { { 1, ALONE_STORED_AND_TOLD } },
	                 tested[] = { { 1, ALONE_STORED }, { 1, ALONE_TESTED } };

	(void)state;
	copy[1].from = 1;
	assert_false(MEET_BY(copy, stored));
	assert_true(MEET_BY(copy, tested)); /* a compiler knows the number behind the test, and stores the register */
	assert_false(MEET_BY(argument, stored));
	assert_true(MEET_BY(argument, told));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_reads_and_writes_one_size_meets_others),
		cmocka_unit_test(test_small_variables_may_lie_side_by_side),
		cmocka_unit_test(test_what_is_stored_as_it_was_loaded_is_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
