/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread stood, compared with where it stands: registers and every word of the stack in use, and no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stance.h"

#define WORDS 4096u

static uint64_t stack[WORDS];
static struct vtb_rt_thread t;

/* The last n words are in use. */
static void stand(uint32_t n)
{
	memset(&t, 0, sizeof(t));
	for (uint32_t i = 0; i < WORDS; i++)
		stack[i] = i * 0x9e3779b97f4a7c15ull;
	t.base.stack_lo = (uint64_t)stack;
	t.base.stack_hi = (uint64_t)(stack + WORDS);
	t.base.view.sp = (uint64_t)(stack + WORDS - n);
	t.base.view.rbx = 7;
}

/* Few words, as many as there is room for at first, more, as many as are ever copied, more than that. */
static const uint32_t sizes[] = { 1, 2, 127, 128, 129, 1024, 1025, WORDS };
#define SIZES (sizeof(sizes) / sizeof(*sizes))

static void every_word_of_the_stack_in_use_counts(void **state)
{
	(void)state;
	for (size_t k = 0; k < SIZES; k++) {
		struct vtb_stood *s;

		stand(sizes[k]);
		s = vtb_stance_keep(NULL, &t);
		assert_non_null(s);
		assert_true(vtb_stance_is(s, &t));
		for (uint32_t i = WORDS - sizes[k]; i < WORDS; i += sizes[k] < 200 ? 1 : 61) {
			stack[i] ^= 1ull << i % 64;
			assert_false(vtb_stance_is(s, &t));
			stack[i] ^= 1ull << i % 64;
		}
		stack[WORDS - 1]++;
		assert_false(vtb_stance_is(s, &t));
		stack[WORDS - 1]--;
		if (sizes[k] < WORDS)
			stack[WORDS - sizes[k] - 1]++; /* dead */
		assert_true(vtb_stance_is(s, &t));
	}
}

static void so_does_every_register_and_not_what_arithmetic_has_noted(void **state)
{
	struct vtb_stood *s;

	(void)state;
	stand(16);
	s = vtb_stance_keep(NULL, &t);
	for (size_t i = 0; i < sizeof(t.base.view); i++) {
		uint8_t *byte = (uint8_t *)&t.base.view + i;

		if (i / 8 == offsetof(struct vtb_view, sp) / 8)
			continue;
		*byte ^= 128;
		assert_false(vtb_stance_is(s, &t));
		*byte ^= 128;
	}
	t.base.view.mxcsr ^= 1;
	assert_true(vtb_stance_is(s, &t));
	t.base.view.sp -= 8;
	assert_false(vtb_stance_is(s, &t));
}

/* As glibc places it: above the frames and thread-locals. */
static void a_descriptor_above_the_frames_does_not_count(void **state)
{
	(void)state;
	for (size_t k = 4; k < SIZES; k++) {
		struct vtb_state_hash before = { 0, 0 }, after = { 0, 0 };
		struct vtb_stood *s;

		stand(sizes[k]);
		t.base.handle = (pthread_t)(stack + WORDS - 100);
		s = vtb_stance_keep(NULL, &t);
		vtb_stance_add(&before, &t, 5);
		stack[WORDS - 100]++;
		stack[WORDS - 1]++;
		vtb_stance_add(&after, &t, 5);
		assert_true(vtb_stance_is(s, &t));
		assert_int_equal(before.lo, after.lo);
		stack[WORDS - 101]++;
		assert_false(vtb_stance_is(s, &t));
	}
}

/* In any order, and with another value between, as long as the same is there at last. */
static void what_is_kept_for_keys_counts(void **state)
{
	struct vtb_stood *s;

	(void)state;
	stand(16);
	s = vtb_stance_keep(NULL, &t);
	vtb_stance_specific(&t, 1, NULL, &t);
	assert_false(vtb_stance_is(s, &t));
	vtb_stance_specific(&t, 2, NULL, s);
	vtb_stance_specific(&t, 1, &t, NULL);
	assert_false(vtb_stance_is(s, &t));
	vtb_stance_specific(&t, 2, s, NULL);
	assert_true(vtb_stance_is(s, &t));
}

static void a_stack_without_a_known_end_is_never_the_same(void **state)
{
	uint64_t other = 0;
	struct vtb_stood *s;

	(void)state;
	stand(16);
	t.base.view.sp = (uint64_t)&other;
	s = vtb_stance_keep(NULL, &t);
	assert_false(vtb_stance_is(s, &t));
}

static void room_is_used_again_and_grows(void **state)
{
	struct vtb_stood *s = NULL, *before;

	(void)state;
	for (size_t k = 0; k < SIZES; k++) {
		stand(sizes[k]);
		before = s;
		s = vtb_stance_keep(s, &t);
		assert_true(vtb_stance_is(s, &t));
		if (k && sizes[k] <= 128)
			assert_ptr_equal(s, before);
	}
	stand(3);
	assert_ptr_equal(vtb_stance_keep(s, &t), s);
	assert_true(vtb_stance_is(s, &t));
}

static void what_was_kept_has_the_fingerprint_of_the_place(void **state)
{
	(void)state;
	for (size_t k = 0; k < SIZES; k++) {
		struct vtb_state_hash there = { 0, 0 }, kept;
		struct vtb_stood *s;

		stand(sizes[k]);
		vtb_stance_add(&there, &t, 5);
		s = vtb_stance_keep(NULL, &t);
		memset(stack, 0, sizeof(stack));
		kept = vtb_stance_print(s, 5);
		assert_int_equal(kept.lo, there.lo);
		assert_int_equal(kept.hi, there.hi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_of_the_stack_in_use_counts),
		cmocka_unit_test(so_does_every_register_and_not_what_arithmetic_has_noted),
		cmocka_unit_test(a_descriptor_above_the_frames_does_not_count),
		cmocka_unit_test(what_is_kept_for_keys_counts),
		cmocka_unit_test(a_stack_without_a_known_end_is_never_the_same),
		cmocka_unit_test(room_is_used_again_and_grows),
		cmocka_unit_test(what_was_kept_has_the_fingerprint_of_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
