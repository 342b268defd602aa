/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "blocks.h"

#define SPACE 512u

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void an_empty_set_holds_nothing(void **state)
{
	struct blocks b;

	(void)state;
	blocks_init(&b);
	assert_null(blocks_at(&b, 0));
	assert_null(blocks_at(&b, UINT64_MAX));
	blocks_fini(&b);
}

static void bounds_are_half_open(void **state)
{
	struct blocks b;
	const struct block x = { .lo = 100, .hi = 110 }, empty = { .lo = 200, .hi = 200 };

	(void)state;
	blocks_init(&b);
	assert_int_equal(blocks_add(&b, &x), 0);
	assert_null(blocks_at(&b, 99));
	assert_non_null(blocks_at(&b, 100));
	assert_non_null(blocks_at(&b, 109));
	assert_null(blocks_at(&b, 110));
	assert_int_equal(blocks_add(&b, &empty), 1); /* malloc(0) has an address */
	assert_non_null(blocks_at(&b, 200));
	blocks_fini(&b);
}

/* Against an array that says which block was written last at each address. */
static void newer_blocks_replace_whatever_they_overlap(void **state)
{
	int32_t owner[SPACE];
	bool alive[4096];
	struct blocks b;
	uint64_t seed = 42;

	(void)state;
	blocks_init(&b);
	for (unsigned run = 0; run < 4; run++) {
		memset(owner, 0xff, sizeof(owner));
		for (int32_t i = 0; i < 1000; i++) {
			const uint64_t lo = next(&seed) % SPACE, size = 1 + next(&seed) % 24;
			const struct block x = { .lo = lo, .hi = lo + size < SPACE ? lo + size : SPACE };

			assert_int_equal(blocks_add(&b, &x), i);
			alive[i] = true;
			for (uint64_t a = x.lo; a < x.hi; a++)
				if (owner[a] >= 0)
					alive[owner[a]] = false;
			for (uint64_t a = 0; a < SPACE; a++) { /* a block that gave way is gone as a whole */
				if (a >= x.lo && a < x.hi)
					owner[a] = i;
				else if (owner[a] >= 0 && !alive[owner[a]])
					owner[a] = -1;
			}
			for (uint64_t a = i % 7; a < SPACE; a += 7) {
				const struct block *found = blocks_at(&b, a);

				assert_int_equal(found ? (int32_t)(found - b.items) : -1, owner[a]);
			}
		}
		blocks_clear(&b);
		assert_null(blocks_at(&b, 5));
	}
	blocks_fini(&b);
}

static void generations_never_repeat(void **state)
{
	const struct block x = { .lo = 8, .hi = 16 };
	struct blocks b;
	uint64_t last = 0;

	(void)state;
	blocks_init(&b);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(blocks_add(&b, &x), i % 10);
		assert_true(blocks_at(&b, 8)->generation > last);
		last = blocks_at(&b, 8)->generation;
		if (i % 10 == 9)
			blocks_clear(&b);
	}
	blocks_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_set_holds_nothing),
		cmocka_unit_test(bounds_are_half_open),
		cmocka_unit_test(newer_blocks_replace_whatever_they_overlap),
		cmocka_unit_test(generations_never_repeat),
	};

	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
