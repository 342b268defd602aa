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

/* Above main's frames lie its arguments and the environment; not in what all of its stack is compared by. */
static void what_lies_above_the_frames_of_main_is_not_its_own(void **state)
{
	struct vtb_state_hash before = { 0, 0 }, after = { 0, 0 };
	struct vtb_stood *s;

	(void)state;
	stand(128);
	t.base.stack_top = (uint64_t)(stack + WORDS - 100);
	s = vtb_stance_keep(NULL, &t);
	vtb_stance_add(&before, &t, 5);
	stack[WORDS - 100]++;
	vtb_stance_add(&after, &t, 5);
	assert_true(vtb_stance_is(s, &t));
	assert_int_not_equal(before.lo, after.lo);
	stack[WORDS - 101]++;
	assert_false(vtb_stance_is(s, &t));
	t.base.view.sp = t.base.stack_top; /* exit handlers, with frames further up */
	s = vtb_stance_keep(NULL, &t);
	stack[WORDS - 100]++;
	assert_false(vtb_stance_is(s, &t));
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

/* ---- vector registers */

static char patterns[32][64] __attribute__((aligned(64)));

/* Other values in all of them, masks and modes, too, and what x87 arithmetic notes. */
__attribute__((noinline)) static void use_all(uint64_t seed, bool x87)
{
	const uint32_t mxcsr = seed & 1 ? 0x1f80 : 0x9fc1;
	const uint16_t modes = seed & 1 ? 0x37f : 0x27f;

	for (size_t i = 0; i < sizeof(patterns); i++)
		((char *)patterns)[i] = (char)(seed * 31 + i * 7);
	if (__builtin_cpu_supports("avx512bw"))
		__asm__ volatile(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,"
		                 "29,30,31\n\tvmovdqu64 64*\\n(%0), %%zmm\\n\n.endr\n"
		                 ".irp n, 0,1,2,3,4,5,6,7\n\tkmovq 8*\\n(%0), %%k\\n\n.endr"
		                 :
		                 : "r"(patterns)
		                 : "memory");
	else
		__asm__ volatile(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovups 64*\\n(%0), %%xmm\\n\n.endr"
		                 :
		                 : "r"(patterns)
		                 : "memory");
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	if (x87)
		__asm__ volatile("fldcw %0\n\tfldz\n\tfld1\n\tfdivp\n\tfldpi" : : "m"(modes));
}

static void is_as_it_was(uint64_t seed, bool x87_before, bool x87_between)
{
	static char room[8192] __attribute__((aligned(64))), before[8192] __attribute__((aligned(64))),
	    after[8192] __attribute__((aligned(64)));

	assert_true(vtb_vectors_bytes <= sizeof(room));
	memset(before, 0, sizeof(before));
	memset(after, 0, sizeof(after));
	__asm__ volatile("fninit");
	use_all(seed, x87_before);
	vtb_vectors_keep_all(before);
	vtb_vectors_keep(room);
	use_all(seed + 1, x87_between);
	if (!x87_before && x87_between) /* as at a call, by which others may have come here */
		__asm__ volatile("fstp %st(0)\n\tfstp %st(0)");
	vtb_vectors_take_back(room);
	vtb_vectors_keep_all(after);
	__asm__ volatile("fninit");
	memset(before + 512, 0, 8); /* parts that the processor takes to be in use */
	memset(after + 512, 0, 8);
	if (!x87_before) { /* no values, then nothing of them is left to compare */
		memset(before + 6, 0, 18);
		memset(after + 6, 0, 18);
		memset(before + 32, 0, 128);
		memset(after + 32, 0, 128);
	}
	assert_memory_equal(before, after, vtb_vectors_bytes);
}

static void vector_registers_come_back(void **state)
{
	const uint32_t mxcsr = 0x1f80;

	(void)state;
	vtb_vectors_find();
	for (uint64_t seed = 0; seed < 40; seed++)
		is_as_it_was(seed, seed >= 20 && seed & 2, seed & 4);
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_of_the_stack_in_use_counts),
		cmocka_unit_test(so_does_every_register_and_not_what_arithmetic_has_noted),
		cmocka_unit_test(what_lies_above_the_frames_of_main_is_not_its_own),
		cmocka_unit_test(a_descriptor_above_the_frames_does_not_count),
		cmocka_unit_test(what_is_kept_for_keys_counts),
		cmocka_unit_test(a_stack_without_a_known_end_is_never_the_same),
		cmocka_unit_test(room_is_used_again_and_grows),
		cmocka_unit_test(what_was_kept_has_the_fingerprint_of_the_place),
		cmocka_unit_test(vector_registers_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
