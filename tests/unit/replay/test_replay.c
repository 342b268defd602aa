/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedules found on one build, replayed on others. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static char file[] = "/tmp/vtb-test-failure-XXXXXX";

/* The failure of the first build, written down; what the other tests replay. */
static int write_failure(void **state)
{
	const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update")), .engine = VTB_ENGINE_AUTO };
	struct vtb_runner *runner = new_runner(&opts);
	struct vtb_failure f;
	struct vtb_schedule s;
	int r;

	(void)state;
	close(mkstemp(file));
	vtb_failure_init(&f);
	lose_update(runner, &s);
	r = vtb_replay_failure(runner, &s, opts.argv, &f, NULL);
	if (r >= 0)
		r = vtb_failure_write(&f, file, NULL);
	vtb_failure_fini(&f);
	vtb_schedule_fini(&s);
	vtb_runner_free(runner);
	return r;
}

static int remove_failure(void **state)
{
	(void)state;
	return unlink(file);
}

static struct vtb_replay_report replay(const char *program, enum vtb_tier_choice tier)
{
	char *argv[] = { A(program), NULL };
	const struct vtb_replay_opts opts = {
		.path = file,
		.argv = program ? argv : NULL,
		.runner = { .engine = VTB_ENGINE_AUTO, .carrier = VTB_CARRIER_AUTO, .tier = tier },
		.consent = { .given = true }
	};
	struct vtb_replay_report report;
	struct vtb_error err = { 0 };

	if (vtb_replay_run(&opts, &report, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
	assert_int_equal(report.n_rows, 1);
	return report;
}

static void the_same_build_confirms_by_index(void **state)
{
	struct vtb_replay_report r = replay(NULL, VTB_TIER_AUTO);

	(void)state;
	assert_int_equal(r.confirmed, 1);
	assert_int_equal(r.rows[0].runs, 3);
	assert_int_equal(r.rows[0].failing, 3);
	assert_false(r.rows[0].by_name);
	assert_int_equal(vtb_replay_report_exit_code(&r), 1);
	vtb_replay_report_fini(&r);
	no_children_are_left();
}

/* Program, the state of its one remark (SAME: none), and whether the failure is still there. */
static const struct rebuild {
	const char *program;
	enum vtb_place_state place;
	bool confirmed;
} rebuilds[] = {
	{ TARGETS "/lines_above", VTB_PLACE_SAME, true },     { TARGETS "/lines_inside", VTB_PLACE_MOVED, true },
	{ TARGETS "/lines_below", VTB_PLACE_SAME, true },     { TARGETS "/twice", VTB_PLACE_MOVED, true },
	{ TARGETS "/ambiguous", VTB_PLACE_AMBIGUOUS, false }, { TARGETS "/gone", VTB_PLACE_MISSING, false },
};

static void schedules_survive_a_rebuild_or_say_why_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rebuilds) / sizeof(rebuilds[0]); i++) {
		struct vtb_replay_report r = replay(rebuilds[i].program, VTB_TIER_AUTO);
		const struct vtb_replay_row *row = &r.rows[0];

		print_message("%s\n", rebuilds[i].program);
		assert_true(row->by_name);
		assert_int_equal(r.confirmed, rebuilds[i].confirmed);
		assert_int_equal(row->n_notes, rebuilds[i].place != VTB_PLACE_SAME);
		if (row->n_notes)
			assert_int_equal(row->notes[0].state, rebuilds[i].place);
		assert_int_equal(vtb_replay_report_exit_code(&r), rebuilds[i].confirmed ? 1 : 3);
		vtb_replay_report_fini(&r);
	}
}

/* No sanitizer, no hooks: the same source at -O1 -g. gcc makes one instruction of the read and the write. */
static void the_plain_build_confirms_with_breakpoints(void **state)
{
	struct vtb_replay_report r = replay(TARGETS "/plain", VTB_TIER_AUTO);
	struct vtb_process_info info;

	(void)state;
	vtb_process_runner_info(r.runner, &info);
	assert_string_equal(info.tier, "break");
	assert_int_equal(r.confirmed, 1);
	vtb_replay_report_fini(&r);
	no_children_are_left();
}

static void a_tier_that_the_program_lacks_is_refused(void **state)
{
	const struct vtb_replay_opts opts = {
		.path = file,
		.argv = ARGV(A(TARGETS "/plain")),
		.runner = { .engine = VTB_ENGINE_AUTO, .carrier = VTB_CARRIER_AUTO, .tier = VTB_TIER_TSAN }
	};
	struct vtb_replay_report report;
	struct vtb_error err = { 0 };

	(void)state;
	assert_int_equal(vtb_replay_run(&opts, &report, &err), -VTB_E_TARGET);
	assert_non_null(strstr(err.text, "-fsanitize=thread"));
}

static void bad_input_is_an_error(void **state)
{
	struct vtb_replay_opts opts = { .path = "/nonexistent.json",
		                        .runner = { .engine = VTB_ENGINE_AUTO, .carrier = VTB_CARRIER_AUTO } };
	struct vtb_replay_report report;

	(void)state;
	assert_int_equal(vtb_replay_run(&opts, &report, NULL), -ENOENT);
	opts.path = file;
	assert_int_equal(vtb_replay_run(&opts, &report, NULL),
	                 -EPERM); /* the file names a command, and nobody said yes */
	opts.consent.given = true;
	opts.schedule = 2;
	assert_int_equal(vtb_replay_run(&opts, &report, NULL), -EINVAL);
	opts.schedule = 1;
	opts.runner.fail_if = "perhaps";
	assert_int_equal(vtb_replay_run(&opts, &report, NULL), -EINVAL);
}

static void what_is_written_replays_again_and_holds_stacks(void **state)
{
	char out[] = "/tmp/vtb-test-again-XXXXXX";
	struct vtb_replay_opts opts = { .path = file,
		                        .runner = { .engine = VTB_ENGINE_EXEC, .carrier = VTB_CARRIER_AUTO },
		                        .output = out,
		                        .consent = { .given = true } };
	struct vtb_replay_report report;
	struct vtb_failure f;

	(void)state;
	close(mkstemp(out));
	assert_int_equal(vtb_replay_run(&opts, &report, NULL), 0);
	assert_true(report.failure_written);
	vtb_replay_report_fini(&report);
	assert_int_equal(vtb_failure_read(out, &f, NULL), 0);
	assert_int_equal(f.verdict, VTB_V_EXIT);
	assert_int_equal(f.confirmed, 3);
	assert_true(f.trace.n_events > 10);
	assert_true(f.left.n_sites > 0 && f.entered.n_sites > 0);
	assert_string_equal(f.options.engine, "exec");
	vtb_failure_fini(&f);
	opts.path = out;
	opts.output = NULL;
	assert_int_equal(vtb_replay_run(&opts, &report, NULL), 0);
	assert_int_equal(report.confirmed, 1);
	vtb_replay_report_fini(&report);
	unlink(out);
}

static void an_expected_status_makes_the_failure_a_pass(void **state)
{
	const struct vtb_replay_opts opts = {
		.path = file,
		.runner = { .engine = VTB_ENGINE_AUTO, .carrier = VTB_CARRIER_AUTO, .fail_if = "never" },
		.consent = { .given = true }
	};
	struct vtb_replay_report report;

	(void)state;
	assert_int_equal(vtb_replay_run(&opts, &report, NULL), 0);
	assert_int_equal(report.passed, 1);
	assert_int_equal(vtb_replay_report_exit_code(&report), 0);
	vtb_replay_report_fini(&report);
}

static void without_time_for_a_run_what_was_seen_is_written(void **state)
{
	struct vtb_stop stop = { 0 };
	const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update")),
		                               .engine = VTB_ENGINE_AUTO,
		                               .stop = &stop };
	struct vtb_runner *runner = new_runner(&opts);
	struct vtb_replay_report report;
	struct vtb_failure f;
	struct vtb_schedule s;
	struct vtb_exec x;

	(void)state;
	lose_update(runner, &s);
	run_one(runner, &s, &x);
	stop.deadline = vtb_stop_clock() - 60;
	vtb_failure_init(&f);
	assert_int_equal(vtb_replay_failure(runner, &s, opts.argv, &f, NULL), -ECANCELED);
	vtb_failure_fini(&f);
	vtb_failure_init(&f);
	assert_int_equal(vtb_replay_failure_seen(runner, &s, &x, opts.argv, &f, NULL), 0);
	assert_int_equal(f.verdict, x.outcome.verdict);
	assert_int_equal(f.trace.n_events, x.n_events);
	assert_int_equal(f.left.n_sites, 0);
	assert_int_equal(vtb_failure_write(&f, file, NULL), 0);
	vtb_failure_fini(&f);
	vtb_exec_fini(&x);
	vtb_schedule_fini(&s);
	vtb_runner_free(runner);
	report = replay(NULL, VTB_TIER_AUTO);
	assert_int_equal(report.confirmed, 1);
	assert_int_equal(report.rows[0].failing, 3);
	vtb_replay_report_fini(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_build_confirms_by_index),
		cmocka_unit_test(schedules_survive_a_rebuild_or_say_why_not),
		cmocka_unit_test(the_plain_build_confirms_with_breakpoints),
		cmocka_unit_test(a_tier_that_the_program_lacks_is_refused),
		cmocka_unit_test(bad_input_is_an_error),
		cmocka_unit_test(what_is_written_replays_again_and_holds_stacks),
		cmocka_unit_test(an_expected_status_makes_the_failure_a_pass),
		cmocka_unit_test(without_time_for_a_run_what_was_seen_is_written),
	};

	return cmocka_run_group_tests(tests, write_failure, remove_failure);
}
