/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that tell of many threads at once say what as many records of one thread each say: who can go on, and whose
 * waits time or chance may end. */
#include "ingest_program.h"

#define SLOTS_MAX 300u
#define AT_ONCE_MAX 48u /* 12 words behind value and arg */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Slots of threads, some of them twice, in no order. */
static unsigned draw_slots(uint32_t *seed, unsigned n_slots, uint16_t *slots)
{
	const unsigned n = 1 + next_random(seed) % AT_ONCE_MAX;

	for (unsigned i = 0; i < n; i++)
		slots[i] = (uint16_t)(next_random(seed) % n_slots);
	return n;
}

static void put_at_once(struct stream *s, unsigned kind, uint64_t arg, const uint16_t *slots, unsigned n)
{
	uint64_t words[(AT_ONCE_MAX + 3) / 4] = { 0 };

	for (unsigned i = 1; i < n; i++)
		words[(i - 1) / 4] |= (slots[i] + UINT64_C(1)) << (i - 1) % 4 * 16;
	put_record(s, kind, 0, 0,
	           (struct put){ .value = slots[0],
	                         .arg = arg,
	                         .flags = VTB_REC_VALUE | VTB_REC_ARG,
	                         .stack = words,
	                         .n_stack = (n + 2) / 4 });
}

static void put_one_by_one(struct stream *s, unsigned kind, uint64_t arg, const uint16_t *slots, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_record(s, kind, 0, 0,
		           (struct put){ .value = slots[i], .arg = arg, .flags = VTB_REC_VALUE | VTB_REC_ARG });
}

/* The same program, told in either way. */
static void put_program(struct stream *s, uint32_t seed, unsigned n_slots,
                        void (*put)(struct stream *, unsigned, uint64_t, const uint16_t *, unsigned))
{
	static const uint64_t waits[] = { VTB_E_LOCK, VTB_E_LOCK, VTB_E_COND_WAKE, VTB_E_SEM_WAIT | VTB_BLOCK_ARMED };
	static const uint64_t ends[] = { 0, 0, VTB_UNBLOCK_TIME };

	for (unsigned slot = 1; slot < n_slots; slot++)
		PUT_CREATE(s, slot, slot, 0);
	for (unsigned i = 0; i < 12; i++) {
		uint16_t slots[AT_ONCE_MAX];
		const unsigned n = draw_slots(&seed, n_slots, slots);
		const bool blocks = next_random(&seed) % 2;

		put(s, blocks ? VTB_E_BLOCK : VTB_E_UNBLOCK,
		    blocks ? waits[next_random(&seed) % 4] : ends[next_random(&seed) % 3], slots, n);
		PUT(s, YIELD, 0, 0, 0);
	}
}

static void many_threads_of_one_record_are_those_of_many_records(void **state)
{
	struct program *a = open_program(fixtures[0]), *b = open_program(fixtures[0]);
	uint32_t seed = 3;
	size_t waits = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		const unsigned n_slots = 1 + next_random(&seed) % (round % 2 ? SLOTS_MAX : 100);

		put_program(&a->s, seed, n_slots, put_at_once);
		put_program(&b->s, seed, n_slots, put_one_by_one);
		next_random(&seed);
		assert_int_equal(run(a), 0);
		assert_int_equal(run(b), 0);
		assert_int_equal(a->x.n_enabled, b->x.n_enabled);
		assert_memory_equal(a->x.enabled, b->x.enabled, a->x.n_enabled * sizeof(*a->x.enabled));
		assert_int_equal(a->x.n_waits, b->x.n_waits);
		for (size_t i = 0; i < a->x.n_waits; i++)
			assert_memory_equal(&a->x.waits[i], &b->x.waits[i], sizeof(*a->x.waits));
		waits += a->x.n_waits;
	}
	assert_true(waits > 1000);
	close_program(a);
	close_program(b);
}

static void words_with_gaps_end_at_the_gap(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t slots[] = { 2 | 3 << 16 | 4ull << 48, 0, 5 };

	(void)state;
	for (unsigned slot = 1; slot <= 4; slot++)
		PUT_CREATE(&p->s, slot, slot, 0);
	PUT(&p->s, BLOCK, 0, 0, .value = 0, .arg = VTB_E_LOCK, .flags = VTB_REC_VALUE | VTB_REC_ARG, .stack = slots,
	    .n_stack = 3);
	PUT(&p->s, YIELD, 0, 0, 0);
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.enabled[4 * p->x.stride], 1 | 1 << 3); /* 1, 2 and 4 wait; who yields could */
	close_program(p);
}

static void a_slot_means_nothing_before_its_thread_is_created_in_this_run(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t second = 3;

	(void)state;
	for (int round = 0; round < 2; round++) {
		if (round == 1)
			PUT(&p->s, BLOCK, 0, 0, .value = 1, .arg = VTB_E_THREAD_BEGIN,
			    .flags = VTB_REC_VALUE | VTB_REC_ARG, .stack = &second, .n_stack = 1);
		PUT_CREATE(&p->s, 1, 0, 0);
		PUT_CREATE(&p->s, 2, 1, 0);
		PUT(&p->s, YIELD, 0, 0, 0);
		assert_int_equal(run(p), 0);
		assert_int_equal(p->x.enabled[2 * p->x.stride], round == 1 ? 1 : 7);
	}
	close_program(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_of_one_record_are_those_of_many_records),
		cmocka_unit_test(words_with_gaps_end_at_the_gap),
		cmocka_unit_test(a_slot_means_nothing_before_its_thread_is_created_in_this_run),
	};

	return cmocka_run_group_tests_name("ingest_ready", tests, NULL, NULL);
}
