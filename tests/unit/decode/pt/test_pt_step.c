/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs run one instruction at a time and recorded as Intel PT packets: what the decoder makes of the packets must
 * be what was stepped, instruction by instruction. Default: more than 200 000 instructions. With --nightly: more than 5
 * million.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "one_core.h"
#include "vtb/pt_recording.h"
#include "vtb/step.h"

static bool nightly;
static uint64_t instructions; /* compared in all tests */

static void record(const char *program, const char *rounds, const char *many_rounds, struct vtb_step_opts opts,
                   char *dir, size_t size)
{
	char path[1024];
	char *argv[] = { path, (char *)(uintptr_t)(nightly ? many_rounds : rounds), NULL };
	struct vtb_step_result result;
	struct vtb_error err = { 0 };
	int r;

	snprintf(path, sizeof(path), "%s/%s", PROGRAMS, program);
	snprintf(dir, size, "/tmp/vtb-step-XXXXXX");
	assert_non_null(mkdtemp(dir));
	opts.dir = dir;
	opts.program = path;
	opts.argv = argv;
	opts.truth = true;
	r = vtb_step_run(&opts, &result, &err);
	if (r < 0)
		fail_msg("%s: %s", program, err.text);
	assert_int_equal(result.status, 0);
	assert_true(result.threads >= 3);
}

static void remove_dir(const char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Every instruction of a block must be the next one that was stepped. */
static uint64_t compare_block(struct vtb_pt_code *code, const struct vtb_pt_item *item,
                              struct vtb_pt_truth_reader *truth)
{
	int64_t at = vtb_pt_code_at(code, item->value);

	for (uint32_t i = 0; i < item->n; i++) {
		assert_true(at >= 0);
		assert_int_equal(vtb_pt_truth_next(truth), 1);
		assert_int_equal(vtb_pt_code_insn(code, (uint32_t)at)->ip, truth->ip);
		at = i + 1 < item->n ? vtb_pt_code_next(code, (uint32_t)at) : -1;
	}
	return item->n;
}

static void compare_thread(struct vtb_pt_recording *rec, size_t i, struct vtb_pt_code *code)
{
	struct vtb_pt_truth_reader truth;
	struct vtb_pt_reader *reader;
	const struct vtb_pt_gap *gap;
	struct vtb_pt_item item;
	uint64_t last_time = 0;

	assert_int_equal(vtb_pt_truth_open(rec, rec->session.threads[i].tid, &truth, NULL), 0);
	assert_int_equal(vtb_pt_reader_new(&rec->session, i, 2, &reader), 0);
	while (vtb_pt_reader_next(reader, &item, &gap) > 0) {
		assert_int_not_equal(item.kind, VTB_PT_GAP);
		if (item.kind == VTB_PT_TIME) {
			assert_true(item.value >= last_time);
			last_time = item.value;
		}
		if (item.kind == VTB_PT_BLOCK)
			instructions += compare_block(code, &item, &truth);
	}
	assert_int_equal(vtb_pt_truth_next(&truth), 0); /* nothing was left out at the end */
	vtb_pt_reader_free(reader);
}

static void compare(const char *program, const char *rounds, const char *many_rounds, struct vtb_step_opts opts)
{
	struct vtb_pt_recording rec;
	struct vtb_error err = { 0 };
	struct vtb_pt_code *code;
	char dir[64];

	record(program, rounds, many_rounds, opts, dir, sizeof(dir));
	if (vtb_pt_recording_read(dir, 2, &rec, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
	assert_int_equal(rec.session.errors, 0);
	assert_int_equal(rec.session.n_syncs, rec.session.n_sources); /* one for each thread: all segments join */
	assert_int_equal(vtb_pt_code_new(rec.session.image, &code), 0);
	for (size_t i = 0; i < rec.session.n_threads; i++)
		compare_thread(&rec, i, code);
	vtb_pt_code_free(code);
	vtb_pt_recording_fini(&rec);
	remove_dir(dir);
}

static void locks_and_heap_unoptimised(void **state)
{
	(void)state;
	compare("bank_O0", "2", "1800", (struct vtb_step_opts){ .seed = 1 });
}

static void locks_and_heap_optimised_without_return_compression(void **state)
{
	(void)state;
	compare("bank_O2", "2", "1800",
	        (struct vtb_step_opts){ .seed = 2, .no_ret_compression = true, .psb_bytes = 256 });
}

static void shared_pointers_with_asynchronous_breaks(void **state)
{
	(void)state;
	compare("list_O0", "2", "160", (struct vtb_step_opts){ .seed = 3, .async_every = 40 });
}

static void string_functions_with_long_branch_packets(void **state)
{
	(void)state;
	compare("hash_O2", "1", "900", (struct vtb_step_opts){ .seed = 4, .long_tnt = true, .psb_bytes = 300 });
}

static void conditions_signals_and_deep_recursion(void **state)
{
	(void)state;
	compare("queue_O0", "2", "1000", (struct vtb_step_opts){ .seed = 5, .psb_bytes = 200 });
}

static void the_same_optimised_broken_often_without_return_compression(void **state)
{
	(void)state;
	compare("queue_O2", "2", "1000",
	        (struct vtb_step_opts){ .seed = 6, .async_every = 25, .no_ret_compression = true });
}

static void turns_with_exact_time_and_pauses(void **state)
{
	(void)state;
	compare("list_O2", "2", "160", (struct vtb_step_opts){ .seed = 10, .exact_time = true, .noise = 20 });
}

static void cxx_threads_and_virtual_calls(void **state)
{
	(void)state;
	compare("jobs_O0", "1", "60", (struct vtb_step_opts){ .seed = 7, .psb_bytes = 1000 });
}

static void cxx_exceptions_optimised(void **state)
{
	(void)state;
	compare("jobs_O2", "2", "120",
	        (struct vtb_step_opts){ .seed = 8, .async_every = 100, .psb_bytes = 500, .long_tnt = true });
}

static void enough_was_compared(void **state)
{
	(void)state;
	print_message("%llu instructions compared\n", (unsigned long long)instructions);
	assert_true(instructions > (nightly ? 5000000u : 200000u));
}

static void a_program_that_cannot_be_started_is_an_error(void **state)
{
	char *argv[] = { (char *)(uintptr_t) "/no/such/program", NULL };
	const struct vtb_step_opts opts = { .dir = "/tmp", .program = argv[0], .argv = argv };
	struct vtb_step_result result;
	struct vtb_error err = { 0 };

	(void)state;
	assert_int_equal(vtb_step_run(&opts, &result, &err), -VTB_E_TARGET);
	assert_true(err.text[0]);
}

static void a_limit_lets_the_program_go_on_unrecorded(void **state)
{
	struct vtb_pt_recording rec;
	struct vtb_error err = { 0 };
	char dir[64];

	(void)state;
	record("bank_O2", "2", "2", (struct vtb_step_opts){ .seed = 9, .max_instructions = 14000 }, dir, sizeof(dir));
	assert_int_equal(vtb_pt_recording_read(dir, 1, &rec, &err), 0);
	assert_int_equal(rec.session.errors, 0);
	assert_in_range(rec.session.instructions, 14000, 14100);
	vtb_pt_recording_fini(&rec);
	remove_dir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_and_heap_unoptimised),
		cmocka_unit_test(locks_and_heap_optimised_without_return_compression),
		cmocka_unit_test(shared_pointers_with_asynchronous_breaks),
		cmocka_unit_test(string_functions_with_long_branch_packets),
		cmocka_unit_test(conditions_signals_and_deep_recursion),
		cmocka_unit_test(the_same_optimised_broken_often_without_return_compression),
		cmocka_unit_test(turns_with_exact_time_and_pauses),
		cmocka_unit_test(cxx_threads_and_virtual_calls),
		cmocka_unit_test(cxx_exceptions_optimised),
		cmocka_unit_test(enough_was_compared),
		cmocka_unit_test(a_program_that_cannot_be_started_is_an_error),
		cmocka_unit_test(a_limit_lets_the_program_go_on_unrecorded),
	};

	keep_to_one_core();
	nightly = argc > 1 && !strcmp(argv[1], "--nightly");
	return cmocka_run_group_tests_name("pt_step", tests, NULL, NULL);
}
