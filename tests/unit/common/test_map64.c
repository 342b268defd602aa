/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash map against a list that is searched from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "vtb/map64.h"

#define KEYS 3000u

struct list {
	struct vtb_map64_cell rows[KEYS];
	size_t n;
};

static struct vtb_map64_cell *listed(struct list *list, uint64_t key)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->rows[i].key == key)
			return &list->rows[i];
	return NULL;
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 20;
}

/* Keys of every kind that makes neighbours in a table: dense, multiples of a page, far apart; 0 and the largest; few
 * enough to meet again. */
static uint64_t some_key(uint64_t *seed)
{
	const uint64_t n = next(seed) % (KEYS / 4);

	switch (next(seed) % 4) {
	case 0:
		return n;
	case 1:
		return n << 12;
	case 2:
		return n << 40;
	default:
		return UINT64_MAX - n;
	}
}

static void expect_same(struct vtb_map64 *map, struct list *list)
{
	assert_int_equal(map->n, list->n);
	for (size_t i = 0; i < list->n; i++) {
		uint64_t value = 0;

		assert_true(vtb_map64_get(map, list->rows[i].key, &value));
		assert_int_equal(value, list->rows[i].value);
	}
}

static void random_steps(struct vtb_map64 *map, struct list *list, uint64_t *seed, size_t steps)
{
	while (steps-- > 0) {
		const uint64_t key = some_key(seed), value = next(seed) % 3   ? next(seed)
		                                             : next(seed) % 2 ? UINT64_MAX
		                                                              : 0;
		struct vtb_map64_cell *row = listed(list, key);
		uint64_t *at = vtb_map64_at(map, key);

		assert_int_equal(at != NULL, row != NULL);
		if (next(seed) % 2) {
			assert_int_equal(vtb_map64_set(map, key, value), 0);
			if (row)
				row->value = value;
		} else {
			at = vtb_map64_put(map, key, value);
			assert_non_null(at);
			assert_int_equal(*at, row ? row->value : value);
		}
		if (!row)
			list->rows[list->n++] = (struct vtb_map64_cell){ key, value };
	}
}

static void it_holds_what_a_list_holds(void **state)
{
	static struct list list;
	struct vtb_map64 map = { 0 };
	uint64_t seed = 1;

	(void)state;
	for (size_t round = 0; round < 30; round++) {
		random_steps(&map, &list, &seed, round % 3 ? 100 : 2500);
		expect_same(&map, &list);
		vtb_map64_clear(&map);
		for (size_t i = 0; i < list.n; i++)
			assert_null(vtb_map64_at(&map, list.rows[i].key));
		list.n = 0;
		expect_same(&map, &list);
	}
	vtb_map64_fini(&map);
	assert_null(map.cells);
}

static void an_empty_map_has_nothing(void **state)
{
	struct vtb_map64 map = { 0 };
	uint64_t value = 5;

	(void)state;
	assert_false(vtb_map64_get(&map, 0, &value));
	assert_false(vtb_map64_get(&map, 1, &value));
	assert_int_equal(value, 5);
	vtb_map64_clear(&map);
	vtb_map64_fini(&map);
}

static void a_cleared_map_keeps_no_more_than_it_needed(void **state)
{
	struct vtb_map64 map = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= 100000; i++)
		assert_int_equal(vtb_map64_set(&map, i, i), 0);
	vtb_map64_clear(&map);
	assert_non_null(map.cells); /* it was nearly full */
	assert_int_equal(vtb_map64_set(&map, 1, 1), 0);
	vtb_map64_clear(&map);
	assert_null(map.cells);
	assert_int_equal(vtb_map64_set(&map, 0, 7), 0);
	vtb_map64_fini(&map);
}

/* No room: the map is as it was. */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
static bool fail;

void *__wrap_calloc(size_t n, size_t size)
{
	return fail ? NULL : __real_calloc(n, size);
}

static void without_memory_it_stays_as_it_was(void **state)
{
	struct vtb_map64 map = { 0 };
	uint64_t n = 0, value;

	(void)state;
	fail = true;
	assert_int_equal(vtb_map64_set(&map, 1, 1), -ENOMEM);
	fail = false;
	for (n = 1; n < 40; n++)
		assert_int_equal(vtb_map64_set(&map, n, n), 0);
	n--;
	fail = true;
	while (vtb_map64_put(&map, n + 1, n + 1))
		n++;
	fail = false;
	assert_int_equal(map.n, n);
	for (uint64_t i = 1; i <= n; i++)
		assert_true(vtb_map64_get(&map, i, &value) && value == i);
	vtb_map64_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_holds_what_a_list_holds),
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(a_cleared_map_keeps_no_more_than_it_needed),
		cmocka_unit_test(without_memory_it_stays_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
