/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many helpers take part, in worlds in which it is known what so many bring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "how_many.h"

#define MSEC 1000000u
#define MOST 16u

/* By how many take part: runs a second, and the share of the time for which the search waits for them. */
struct world {
	double rate[MOST], share[MOST];
	uint32_t noise; /* percent by which a batch may be slower */
};

struct told {
	uint64_t msec[MOST]; /* in which so many took part */
	double runs;
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void live(struct how_many *h, const struct world *w, uint64_t msec, uint32_t *seed, struct told *told)
{
	*told = (struct told){ 0 };
	for (uint64_t spent = 0; spent < msec;) {
		const uint32_t took = 1 + next_random(seed) % 12, n = h->now;
		const double runs = w->rate[n] * took / 1000 / (1 + 0.01 * (next_random(seed) % (w->noise + 1)));

		told->msec[n] += took;
		told->runs += runs;
		spent += took;
		how_many_note(h, (uint64_t)took * MSEC, (uint64_t)runs, (uint64_t)(w->share[n] * took * MSEC));
	}
}

static void where_the_search_is_busy_nobody_helps(void **state)
{
	static const struct world busy = { .rate = { 112e3, 44e3 }, .share = { 0.17, 0.61 }, .noise = 40 };
	struct how_many h;
	struct told told;
	uint32_t seed = 1;

	(void)state;
	how_many_init(&h, 1);
	live(&h, &busy, 20000, &seed, &told);
	assert_int_equal(told.msec[1], 0);
}

static void where_help_makes_it_slower_little_time_is_lost(void **state)
{
	static const struct world slower = { .rate = { 76e3, 45e3 }, .share = { 0.48, 0.6 }, .noise = 40 };
	struct how_many h;
	struct told told;
	uint32_t seed = 2;

	(void)state;
	how_many_init(&h, 1);
	live(&h, &slower, 1000, &seed, &told);
	assert_in_range(told.msec[1], 1, 60);
	live(&h, &slower, 20000, &seed, &told);
	assert_in_range(told.msec[1], 1, 250);
}

static void where_help_makes_it_faster_it_is_there_soon_and_stays(void **state)
{
	static const struct world faster = { .rate = { 150e3, 225e3 }, .share = { 0.85, 0.75 }, .noise = 40 },
	                          sometimes = { .rate = { 150e3, 225e3 }, .share = { 0.5, 0.3 }, .noise = 40 };
	struct how_many h;
	struct told told;
	uint32_t seed = 3;

	(void)state;
	how_many_init(&h, 1);
	live(&h, &faster, 200, &seed, &told);
	assert_in_range(told.msec[0], 100, 130);
	live(&h, &faster, 20000, &seed, &told);
	assert_in_range(told.msec[0], 1, 800);
	how_many_init(&h, 1);
	live(&h, &sometimes, 800, &seed, &told);
	assert_int_equal(h.settled, 1);
}

static void of_many_as_many_help_as_are_fastest(void **state)
{
	struct world w = { .noise = 10 };
	struct how_many h;
	struct told told;
	uint32_t seed = 4;

	(void)state;
	for (uint32_t n = 0; n < MOST; n++) { /* four processors */
		w.rate[n] = n < 4 ? 10e3 * (n + 1) : 40e3 / (1 + 0.1 * n);
		w.share[n] = 0.6;
	}
	how_many_init(&h, MOST - 1);
	live(&h, &w, 5000, &seed, &told);
	assert_int_equal(h.settled, 3);
	live(&h, &w, 20000, &seed, &told);
	assert_true(told.msec[3] > 18000);
}

static void all_help_at_once_where_there_is_nothing_but_to_wait(void **state)
{
	struct world w = { .noise = 10 };
	struct how_many h;
	struct told told;
	uint32_t seed = 5;

	(void)state;
	for (uint32_t n = 0; n < MOST; n++) {
		w.rate[n] = 1e3 * (n + 1);
		w.share[n] = 0.99 - 0.01 * n;
	}
	how_many_init(&h, MOST - 1);
	live(&h, &w, 10000, &seed, &told);
	assert_true(told.msec[MOST - 1] > 9000);
}

/* Runs of a tenth of a second, 64 in a batch: a turn is a batch, and many times as long as others. */
static void slow_programs_are_not_tried_oftener_than_it_pays(void **state)
{
	static const double rate[] = { 10, 20 };
	struct how_many h;
	double all = 0, alone = 0;

	(void)state;
	how_many_init(&h, 1);
	for (int batch = 0; batch < 400; batch++) {
		const double seconds = 64 / rate[h.now];

		all += seconds;
		alone += h.now ? 0 : seconds;
		how_many_note(&h, (uint64_t)(seconds * 1e9), 64, (uint64_t)(seconds * 0.99e9));
	}
	assert_int_equal(h.settled, 1);
	assert_true(alone > 0 && alone < 0.07 * all);
}

static void it_follows_when_the_world_changes(void **state)
{
	static const struct world faster = { .rate = { 150e3, 225e3 }, .share = { 0.5, 0.4 }, .noise = 20 },
	                          slower = { .rate = { 76e3, 45e3 }, .share = { 0.48, 0.6 }, .noise = 20 };
	struct how_many h;
	struct told told;
	uint32_t seed = 6;

	(void)state;
	how_many_init(&h, 1);
	for (int i = 0; i < 4; i++) {
		live(&h, i % 2 ? &slower : &faster, 20000, &seed, &told);
		assert_int_equal(h.settled, i % 2 ? 0 : 1);
		assert_true(told.msec[i % 2 ? 0 : 1] > 10000);
	}
}

static void nobody_helps_where_nobody_may(void **state)
{
	static const struct world faster = { .rate = { 150e3, 225e3 }, .share = { 0.9, 0.7 } };
	struct how_many h;
	struct told told;
	uint32_t seed = 7;

	(void)state;
	how_many_init(&h, 0);
	live(&h, &faster, 5000, &seed, &told);
	assert_int_equal(h.now, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_the_search_is_busy_nobody_helps),
		cmocka_unit_test(where_help_makes_it_slower_little_time_is_lost),
		cmocka_unit_test(where_help_makes_it_faster_it_is_there_soon_and_stays),
		cmocka_unit_test(of_many_as_many_help_as_are_fastest),
		cmocka_unit_test(all_help_at_once_where_there_is_nothing_but_to_wait),
		cmocka_unit_test(slow_programs_are_not_tried_oftener_than_it_pays),
		cmocka_unit_test(it_follows_when_the_world_changes),
		cmocka_unit_test(nobody_helps_where_nobody_may),
	};

	return cmocka_run_group_tests_name("how_many", tests, NULL, NULL);
}
