/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "memory/blocks.h"

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

static void generations_never_repeat_in_a_run(void **state)
{
	const struct block x = { .lo = 8, .hi = 16 };
	struct blocks b;
	uint64_t last = 0;

	(void)state;
	blocks_init(&b);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(blocks_add(&b, &x), i);
		assert_true(blocks_at(&b, 8)->generation > last);
		last = blocks_at(&b, 8)->generation;
		if (i)
			assert_int_equal(b.items[i - 1].generation, 0);
	}
	blocks_fini(&b);
}

#define GENERATIONS 40000u

/* What has a generation is told by these. */
static bool is_the_same(const struct block *a, const struct block *b)
{
	return a->lo == b->lo && a->hi == b->hi && a->kind == b->kind && a->thread == b->thread && a->type == b->type &&
	       a->count == b->count && a->pc == b->pc && a->sp == b->sp && a->cfa == b->cfa;
}

/* Runs that are now alike, now not: against a table of what each generation has been given to. */
static void a_generation_is_one_blocks_in_all_runs(void **state)
{
	static struct block known[GENERATIONS];
	uint64_t kept = 0, seed = 7;
	struct blocks b;

	(void)state;
	memset(known, 0, sizeof(known));
	blocks_init(&b);
	for (unsigned run = 0; run < 300; run++) {
		const uint64_t n = 1 + next(&seed) % 100, like = next(&seed) % 2;

		for (uint64_t i = 0; i < n; i++) {
			const uint64_t other = like ? UINT64_MAX : next(&seed) % 40; /* which member, if any */
			const struct block x = { .lo = 32 * (i % 60),
				                 .hi = 32 * (i % 60) + 8 + i % 20 + (other == 1),
				                 .kind = other == 2 ? BLOCK_FRAME : BLOCK_HEAP,
				                 .thread = other == 3,
				                 .object = UINT32_MAX,
				                 .type = other == 4,
				                 .count = (uint32_t)i + (other == 5),
				                 .pc = other == 6,
				                 .sp = other == 7,
				                 .cfa = other == 8 };
			const int64_t index = blocks_add(&b, &x);
			struct block *added = &b.items[index];
			const uint64_t generation = added->generation;

			assert_in_range(generation, 1, GENERATIONS - 1);
			assert_ptr_equal(blocks_at(&b, x.lo), added);
			if (known[generation].hi) {
				assert_true(is_the_same(&known[generation], added));
				assert_int_equal(added->object, generation);
				kept++;
			}
			known[generation] = *added;
			assert_false(added->dead);
			added->object = (uint32_t)generation;
			added->dead = true;
		}
		blocks_clear(&b);
	}
	assert_true(kept > 1000);
	blocks_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_set_holds_nothing),
		cmocka_unit_test(bounds_are_half_open),
		cmocka_unit_test(newer_blocks_replace_whatever_they_overlap),
		cmocka_unit_test(generations_never_repeat_in_a_run),
		cmocka_unit_test(a_generation_is_one_blocks_in_all_runs),
	};

	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
