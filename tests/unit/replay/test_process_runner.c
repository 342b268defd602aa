/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static const struct vtb_schedule empty; /* the default one */
static const int engines[] = { VTB_ENGINE_FORKSERVER, VTB_ENGINE_EXEC };
#define EACH_ENGINE(e) for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++)

static struct vtb_runner *lost_update(int engine, const char *mode)
{
	static char *argv[3];
	const struct vtb_process_opts opts = { .argv = argv, .engine = engine, .timeout_msec = 1000 };

	argv[0] = A(TARGETS "/lost_update");
	argv[1] = A(mode);
	return new_runner(&opts);
}

static void both_engines_run_the_same_schedules_to_the_same_end(void **state)
{
	(void)state;
	EACH_ENGINE(e)
	{
		struct vtb_runner *runner = lost_update(engines[e], NULL);
		struct vtb_process_info info;
		struct vtb_schedule s;
		struct vtb_exec x;

		lose_update(runner, &s);
		run_one(runner, &empty, &x);
		assert_int_equal(x.outcome.verdict, VTB_V_NONE);
		assert_true(x.n_events > 10);
		vtb_exec_fini(&x);
		run_one(runner, &s, &x);
		assert_int_equal(x.outcome.verdict, VTB_V_EXIT);
		assert_int_equal(x.outcome.exit_status, 1);
		vtb_exec_fini(&x);
		vtb_process_runner_info(runner, &info);
		assert_int_equal(info.engine, engines[e]);
		assert_string_equal(info.tier, "tsan");
		assert_true(info.accesses > 0);
		assert_int_equal(info.restarts, 0);
		assert_int_equal(runner->schedules, 2);
		vtb_schedule_fini(&s);
		vtb_runner_free(runner);
		no_children_are_left();
	}
}

/* More schedules than slots, alternating, so that a result in the wrong place would show. */
static void a_batch_larger_than_the_slots_keeps_its_order(void **state)
{
	struct vtb_runner *runner = lost_update(VTB_ENGINE_FORKSERVER, NULL);
	struct vtb_schedule s;
	const struct vtb_schedule *list[70];
	struct vtb_exec x[70];

	(void)state;
	lose_update(runner, &s);
	for (size_t i = 0; i < 70; i++)
		list[i] = i % 3 == 2 ? &s : &empty;
	assert_int_equal(vtb_runner_run(runner, list, 70, x, NULL), 0);
	for (size_t i = 0; i < 70; i++) {
		assert_int_equal(x[i].outcome.verdict, i % 3 == 2 ? VTB_V_EXIT : VTB_V_NONE);
		vtb_exec_fini(&x[i]);
	}
	assert_int_equal(vtb_runner_run(runner, list, 0, x, NULL), 0); /* nothing to do */
	vtb_schedule_fini(&s);
	vtb_runner_free(runner);
}

static void a_run_that_hangs_is_killed_and_the_next_one_runs(void **state)
{
	(void)state;
	EACH_ENGINE(e)
	{
		struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update"), A("hang")),
			                         .engine = VTB_ENGINE_FORKSERVER,
			                         .timeout_msec = 300 };
		const struct vtb_schedule *list[2] = { &empty, &empty };
		struct vtb_runner *runner;
		struct vtb_exec x[2];

		opts.engine = engines[e];
		runner = new_runner(&opts);
		assert_int_equal(vtb_runner_run(runner, list, 2, x, NULL), 0);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(x[i].outcome.verdict, VTB_V_TIMEOUT);
			vtb_exec_fini(&x[i]);
		}
		vtb_runner_free(runner);
		no_children_are_left();
	}
}

static void a_server_that_is_killed_costs_one_schedule_not_the_batch(void **state)
{
	struct vtb_runner *runner = lost_update(VTB_ENGINE_FORKSERVER, "kill-server");
	const struct vtb_schedule *list[3] = { &empty, &empty, &empty };
	struct vtb_process_info info;
	struct vtb_exec x[3];

	(void)state;
	assert_int_equal(vtb_runner_run(runner, list, 3, x, NULL), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_true(x[i].outcome.flags & VTB_OUT_CRASHED);
		vtb_exec_fini(&x[i]);
	}
	vtb_process_runner_info(runner, &info);
	assert_int_equal(info.restarts, 3);
	vtb_runner_free(runner);
	no_children_are_left();
}

static void daemons_that_runs_leave_behind_are_ended(void **state)
{
	(void)state;
	EACH_ENGINE(e)
	{
		struct vtb_runner *runner = lost_update(engines[e], "daemon");
		struct vtb_process_info info;
		struct vtb_exec x;

		run_one(runner, &empty, &x);
		vtb_exec_fini(&x);
		vtb_process_runner_info(runner, &info);
		assert_true(info.uncontrolled & VTB_UNC_FORK);
		vtb_runner_free(runner);
		no_children_are_left();
	}
}

static void programs_that_print_much_close_all_or_move_away_are_run(void **state)
{
	static const char *const modes[] = { "print", "close", "chdir" };

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		EACH_ENGINE(e)
		{
			struct vtb_runner *runner = lost_update(engines[e], modes[i]);
			struct vtb_schedule s;
			struct vtb_exec x;

			lose_update(runner, &s);
			run_one(runner, &s, &x);
			assert_int_equal(x.outcome.verdict, VTB_V_EXIT);
			vtb_exec_fini(&x);
			vtb_schedule_fini(&s);
			vtb_runner_free(runner);
		}
}

static void a_crash_in_a_constructor_is_an_error_that_says_so(void **state)
{
	(void)state;
	setenv("LOST_UPDATE_CONSTRUCTOR", "1", 1);
	EACH_ENGINE(e)
	{
		const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update")), .engine = engines[e] };
		struct vtb_runner *runner;
		struct vtb_error err = { 0 };

		assert_int_equal(vtb_process_runner_new(&opts, &runner, &err), -VTB_E_TARGET);
		assert_non_null(strstr(err.text, "before it reached main"));
	}
	unsetenv("LOST_UPDATE_CONSTRUCTOR");
	no_children_are_left();
}

static void programs_that_cannot_be_run_are_errors(void **state)
{
	struct vtb_process_opts opts = { .argv = ARGV(A("no-such-program")), .engine = VTB_ENGINE_AUTO };
	struct vtb_runner *runner;

	(void)state;
	assert_int_equal(vtb_process_runner_new(&opts, &runner, NULL), -ENOENT);
	opts.argv = ARGV(A("/etc/passwd"));
	assert_int_equal(vtb_process_runner_new(&opts, &runner, NULL), -EACCES);
	opts.jobs = 4; /* it is the first process that says what is wrong */
	assert_int_equal(vtb_process_runner_new(&opts, &runner, NULL), -EACCES);
}

/* Room for a page of events; the run has many times more. */
static void a_run_whose_events_do_not_fit_is_repeated_with_more_room(void **state)
{
	(void)state;
	EACH_ENGINE(e)
	{
		struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update"), A("many")),
			                         .engine = VTB_ENGINE_FORKSERVER,
			                         .events_bytes = 4096 };
		struct vtb_schedule s;
		struct vtb_runner *runner;
		struct vtb_exec x;

		opts.engine = engines[e];
		runner = new_runner(&opts);
		run_one(runner, &empty, &x);
		assert_false(x.outcome.flags & VTB_OUT_TRUNCATED);
		assert_true(x.n_events > 9000);
		vtb_exec_fini(&x);
		lose_update(runner, &s);
		run_one(runner, &s, &x);
		assert_int_equal(x.outcome.verdict, VTB_V_EXIT);
		vtb_exec_fini(&x);
		vtb_schedule_fini(&s);
		vtb_runner_free(runner);
	}
}

static void at_the_limit_a_run_is_given_truncated(void **state)
{
	const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update"), A("many")),
		                               .engine = VTB_ENGINE_FORKSERVER,
		                               .events_bytes = 4096,
		                               .events_max = 8192 };
	struct vtb_runner *runner = new_runner(&opts);
	struct vtb_process_info info;
	struct vtb_exec x;

	(void)state;
	run_one(runner, &empty, &x);
	assert_true(vtb_outcome_is_unread(&x.outcome));
	vtb_process_runner_info(runner, &info);
	assert_true(info.uncontrolled & VTB_UNC_UNREAD);
	vtb_exec_fini(&x);
	vtb_runner_free(runner);
}

/* A schedule of 100 kB does not fit the 64 kB that a slot has at first. */
static void a_long_schedule_gets_a_larger_block(void **state)
{
	struct vtb_runner *runner = lost_update(VTB_ENGINE_FORKSERVER, NULL);
	struct vtb_schedule s;
	const struct vtb_schedule *list[3] = { &empty, &s, &empty };
	struct vtb_exec x[3];

	(void)state;
	lose_update(runner, &s);
	for (uint32_t i = 0; i < 2000; i++)
		assert_int_equal(
		    vtb_schedule_deviate(&s, thread_of(runner, "0.0"), 1000 + i, VTB_DEV_DEMOTE, 0, VTB_NONE, 1), 0);
	assert_int_equal(vtb_runner_run(runner, list, 3, x, NULL), 0);
	assert_int_equal(x[0].outcome.verdict, VTB_V_NONE);
	assert_int_equal(x[1].outcome.verdict, VTB_V_EXIT);
	assert_true(x[1].outcome.flags & VTB_OUT_DIVERGED); /* 2000 deviations had no place */
	assert_int_equal(x[2].outcome.verdict, VTB_V_NONE);
	for (int i = 0; i < 3; i++)
		vtb_exec_fini(&x[i]);
	vtb_schedule_fini(&s);
	vtb_runner_free(runner);
}

static void the_output_of_the_last_run_can_be_read(void **state)
{
	(void)state;
	EACH_ENGINE(e)
	{
		struct vtb_runner *runner = lost_update(engines[e], NULL);
		struct vtb_schedule s;
		struct vtb_exec x;
		size_t size;
		char *text;

		lose_update(runner, &s);
		run_one(runner, &s, &x);
		text = vtb_process_runner_output(runner, &size);
		assert_string_equal(text, "counter 1\n");
		assert_int_equal(size, x.outcome.output_size);
		free(text);
		vtb_exec_fini(&x);
		vtb_schedule_fini(&s);
		vtb_runner_free(runner);
	}
}

/* A run that forks cannot be undone in place: it and all after it are run by the fork server, and none is lost. */
static void engine_snapshot_leaves_what_it_cannot_undo_to_the_fork_server(void **state)
{
	static const char *const modes[] = { "", "daemon" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct vtb_runner *runner = lost_update(VTB_ENGINE_SNAPSHOT, modes[i]);
		struct vtb_schedule s;
		const struct vtb_schedule *list[40];
		struct vtb_process_info info;
		struct vtb_exec x[40];

		lose_update(runner, &s);
		for (size_t k = 0; k < 40; k++)
			list[k] = k % 2 ? &s : &empty;
		assert_int_equal(vtb_runner_run(runner, list, 40, x, NULL), 0);
		for (size_t k = 0; k < 40; k++) {
			assert_int_equal(x[k].outcome.verdict, k % 2 ? VTB_V_EXIT : VTB_V_NONE);
			vtb_exec_fini(&x[k]);
		}
		vtb_process_runner_info(runner, &info);
		assert_int_equal(info.engine, modes[i][0] ? VTB_ENGINE_FORKSERVER : VTB_ENGINE_SNAPSHOT);
		assert_int_equal(info.engine_reason[0] != 0, modes[i][0] != 0);
		vtb_schedule_fini(&s);
		vtb_runner_free(runner);
		no_children_are_left();
	}
}

static volatile sig_atomic_t stop;
static struct vtb_stop stop_at_once = { .aborted = &stop };

static void on_alarm(int signal)
{
	stop = signal;
}

static void a_signal_stops_a_run_within_a_moment(void **state)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update"), A("hang")),
		                               .engine = VTB_ENGINE_FORKSERVER,
		                               .timeout_msec = 60000,
		                               .stop = &stop_at_once };
	const struct vtb_schedule *one = &empty;
	struct vtb_runner *runner = new_runner(&opts);
	struct vtb_exec x;

	(void)state;
	stop = 0;
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	assert_int_equal(vtb_runner_run(runner, &one, 1, &x, NULL), -EINTR);
	vtb_runner_free(runner);
	no_children_are_left();
}

/* Killed without a chance to clean up: what it had started goes with it. */
static void a_killed_tool_leaves_no_processes(void **state)
{
	const struct timespec nap = { .tv_nsec = 300000000 };
	int status;
	pid_t tool;

	(void)state;
	vtb_launch_adopt();
	tool = fork();
	if (tool == 0) {
		const struct vtb_process_opts opts = { .argv = ARGV(A(TARGETS "/lost_update"), A("hang")),
			                               .engine = VTB_ENGINE_FORKSERVER,
			                               .timeout_msec = 60000 };
		const struct vtb_schedule *one = &empty;
		struct vtb_runner *runner;
		struct vtb_exec x;

		if (vtb_process_runner_new(&opts, &runner, NULL) >= 0)
			vtb_runner_run(runner, &one, 1, &x, NULL);
		_exit(1);
	}
	nanosleep(&nap, NULL);
	kill(tool, SIGKILL);
	assert_int_equal(waitpid(tool, &status, 0), tool);
	for (int i = 0; i < 20 && waitpid(-1, &status, WNOHANG) >= 0; i++)
		nanosleep(&nap, NULL); /* server and run come to us as zombies */
	no_children_are_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_engines_run_the_same_schedules_to_the_same_end),
		cmocka_unit_test(a_batch_larger_than_the_slots_keeps_its_order),
		cmocka_unit_test(a_run_that_hangs_is_killed_and_the_next_one_runs),
		cmocka_unit_test(a_server_that_is_killed_costs_one_schedule_not_the_batch),
		cmocka_unit_test(daemons_that_runs_leave_behind_are_ended),
		cmocka_unit_test(programs_that_print_much_close_all_or_move_away_are_run),
		cmocka_unit_test(a_crash_in_a_constructor_is_an_error_that_says_so),
		cmocka_unit_test(programs_that_cannot_be_run_are_errors),
		cmocka_unit_test(a_run_whose_events_do_not_fit_is_repeated_with_more_room),
		cmocka_unit_test(at_the_limit_a_run_is_given_truncated),
		cmocka_unit_test(a_long_schedule_gets_a_larger_block),
		cmocka_unit_test(the_output_of_the_last_run_can_be_read),
		cmocka_unit_test(engine_snapshot_leaves_what_it_cannot_undo_to_the_fork_server),
		cmocka_unit_test(a_signal_stops_a_run_within_a_moment),
		cmocka_unit_test(a_killed_tool_leaves_no_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
