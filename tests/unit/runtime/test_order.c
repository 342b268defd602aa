/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads learn of each other at objects, and that they learn nothing at one whose memory was freed since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stretches/order.h"
#include "vtb/events.h"

#define THREADS 2u
#define BASE 0x5000000000ull
#define SPACE (1u << 20)
#define OBJECTS 6u
#define ROUNDS 20000u

static struct vtb_rt_thread threads[THREADS];

static int set_up(void **state)
{
	(void)state;
	vtb_rt.n_threads = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].base.slot = i;
		vtb_rt.threads[i] = &threads[i];
	}
	return vtb_order_begin() ? 0 : -1;
}

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void done(uint32_t thread, unsigned kind, uint64_t addr, uint64_t size)
{
	const struct vtb_call call = { .kind = (uint8_t)kind, .obj = (const void *)addr, .arg = size };

	vtb_order_told(&threads[thread], &call);
}

/* One byte or less than a line, some pages, more than there are lines, not known. */
static uint64_t some_size(uint64_t *seed)
{
	static const uint32_t most[] = { 1, 200, 20000, SPACE };

	return next(seed) % 16 ? 1 + next(seed) % most[next(seed) % 4] : 0;
}

static void nobody_learns_at_what_was_freed(void **state)
{
	uint64_t seed = 7, missed = 0, freed = 0;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint64_t at[OBJECTS], block = BASE + next(&seed) % SPACE;
		const uint64_t size = some_size(&seed);
		uint32_t interval[OBJECTS];
		bool knows, gone;
		const uint64_t one = next(&seed) % OBJECTS;

		vtb_order_begin_run();
		vtb_order_epoch();
		for (uint32_t i = 0; i < OBJECTS; i++) {
			at[i] = BASE + next(&seed) % SPACE;
			interval[i] = vtb_order_now(&threads[0]);
			done(0, VTB_E_ATOMIC_RMW, at[i], 0);
		}
		if (next(&seed) % 2) /* near it, or in it */
			block = at[one] - next(&seed) % 130;
		done(1, VTB_E_FREE, block, size);
		done(1, VTB_E_ATOMIC_LOAD, at[one], 0);
		gone = !size || at[one] - block < size;
		knows = vtb_order_knows(&threads[1], interval[one]);
		assert_false(gone && knows);
		missed += !gone && !knows; /* another object had its place in the table */
		freed += gone;
	}
	assert_in_range(freed, ROUNDS / 8, ROUNDS / 2);
	assert_true(missed < ROUNDS / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_learns_at_what_was_freed),
	};

	return cmocka_run_group_tests_name("order", tests, set_up, NULL);
}
