/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "stacks.h"
#include "vtb/wire.h"

static uint64_t words[256];
static size_t n_words;
static struct vtb_event events[16];
static struct vtb_exec run;

static void op(unsigned thread, unsigned kind, uint64_t frame)
{
	events[run.n_events++] = (struct vtb_event){ .kind = (uint8_t)kind, .thread = (uint16_t)thread };
	words[n_words++] = vtb_rec_word0(0x1000, kind, 1, VTB_REC_VALUE);
	words[n_words++] = vtb_rec_word1(frame, 0, 2, 0);
	words[n_words++] = 7;
	words[n_words++] = vtb_rec_word0(0, VTB_E_STACK, 2, VTB_REC_STACK);
	words[n_words++] = vtb_rec_word1(0, 0, 0, 0);
	words[n_words++] = frame;
	words[n_words++] = frame + 1;
}

static int fresh(void **state)
{
	(void)state;
	n_words = 0;
	run = (struct vtb_exec){ .events = events };
	return 0;
}

static void both_sides_of_the_last_switch_are_found(void **state)
{
	struct raw_stack left, entered;

	(void)state;
	op(0, VTB_E_READ, 10);
	op(1, VTB_E_READ, 20);
	op(1, VTB_E_WRITE, 30);
	op(0, VTB_E_WRITE, 40);
	op(0, VTB_E_READ, 50);
	assert_true(vtb_stacks_of_last_switch(words, n_words, &run, &left, &entered));
	assert_int_equal(left.event, 2);
	assert_int_equal(left.n, 2);
	assert_int_equal(left.pcs[0], 30);
	assert_int_equal(entered.event, 3);
	assert_int_equal(entered.pcs[0], 40);
}

static void a_run_of_one_thread_has_no_switch(void **state)
{
	struct raw_stack left, entered;

	(void)state;
	op(0, VTB_E_READ, 10);
	op(0, VTB_E_READ, 20);
	assert_false(vtb_stacks_of_last_switch(words, n_words, &run, &left, &entered));
}

static void records_cut_off_give_empty_stacks(void **state)
{
	struct raw_stack left, entered;

	(void)state;
	op(0, VTB_E_READ, 10);
	op(1, VTB_E_READ, 20);
	assert_true(vtb_stacks_of_last_switch(words, n_words - 1, &run, &left, &entered));
	assert_int_equal(left.n, 2);
	assert_int_equal(entered.n, 0);
	assert_true(vtb_stacks_of_last_switch(words, 0, &run, &left, &entered));
	assert_int_equal(left.n, 0);
}

static void turn(uint64_t slot)
{
	words[n_words++] = vtb_rec_word0(0, VTB_E_SWITCH, 1, VTB_REC_VALUE);
	words[n_words++] = vtb_rec_word1(0, 0, 0, 0);
	words[n_words++] = slot;
}

static void heap_record(unsigned kind, uint64_t address, uint64_t arg, uint64_t frame)
{
	words[n_words++] = vtb_rec_word0(address, kind, 2, VTB_REC_ARG | VTB_REC_STACK);
	words[n_words++] = vtb_rec_word1(frame, 0, 0, 0);
	words[n_words++] = arg;
	words[n_words++] = frame;
}

static void free_block(uint64_t block, uint64_t frame)
{
	words[n_words++] = vtb_rec_word0(block, VTB_E_FREE, 0, 0);
	words[n_words++] = vtb_rec_word1(frame, 0, 0, 0);
	words[n_words++] = vtb_rec_word0(0, VTB_E_STACK, 1, VTB_REC_STACK);
	words[n_words++] = vtb_rec_word1(0, 0, 0, 0);
	words[n_words++] = frame;
}

/* The block's second life counts, not its first, nor its neighbour's. */
static void a_block_is_told_by_who_made_freed_and_used_it(void **state)
{
	struct raw_stack parts[VTB_HEAP_PARTS];

	(void)state;
	op(0, VTB_E_READ, 10);
	heap_record(VTB_E_ALLOC, 0x1000, 32, 20);
	free_block(0x1000, 21);
	turn(3);
	op(1, VTB_E_READ, 30);
	heap_record(VTB_E_ALLOC, 0x1000, 32, 31);
	heap_record(VTB_E_ALLOC, 0x1020, 32, 32);
	turn(0);
	free_block(0x1020, 40);
	free_block(0x1000, 41);
	heap_record(VTB_E_FAIL, 0x101f, VTB_V_MEMORY, 50);
	assert_true(vtb_stacks_of_heap(words, n_words, parts));
	assert_int_equal(parts[VTB_HEAP_ALLOCATED].pcs[0], 31);
	assert_int_equal(parts[VTB_HEAP_ALLOCATED].event, 2); /* the first of thread 1, whose slot is 3 */
	assert_int_equal(parts[VTB_HEAP_FREED].pcs[0], 41);
	assert_int_equal(parts[VTB_HEAP_FREED].event, 4);
	assert_int_equal(parts[VTB_HEAP_USED].pcs[0], 50);
	assert_int_equal(parts[VTB_HEAP_USED].event, 5);
}

static void a_block_that_lives_was_not_freed(void **state)
{
	struct raw_stack parts[VTB_HEAP_PARTS];

	(void)state;
	op(0, VTB_E_READ, 10);
	heap_record(VTB_E_ALLOC, 0x1000, 32, 20);
	free_block(0x1000, 21);
	heap_record(VTB_E_ALLOC, 0x1000, 32, 22);
	heap_record(VTB_E_FAIL, 0x1008, VTB_V_MEMORY, 50);
	assert_true(vtb_stacks_of_heap(words, n_words, parts));
	assert_int_equal(parts[VTB_HEAP_ALLOCATED].pcs[0], 22);
	assert_int_equal(parts[VTB_HEAP_FREED].n, 0);
	assert_false(vtb_stacks_of_heap(words, 0, parts));
	assert_int_equal(parts[VTB_HEAP_ALLOCATED].n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both_sides_of_the_last_switch_are_found, fresh),
		cmocka_unit_test_setup(a_run_of_one_thread_has_no_switch, fresh),
		cmocka_unit_test_setup(records_cut_off_give_empty_stacks, fresh),
		cmocka_unit_test_setup(a_block_is_told_by_who_made_freed_and_used_it, fresh),
		cmocka_unit_test_setup(a_block_that_lives_was_not_freed, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
