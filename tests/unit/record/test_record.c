/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vtb/block.h"
#include "vtb/json.h"
#include "vtb/launch.h"
#include "vtb/record.h"

#define ARGV(...) ((char *const[]){ __VA_ARGS__, NULL })
#define A(s) ((char *)s)

static char dir[64];

static int enter_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/vtb-test-record-XXXXXX");
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int leave_dir(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") < 0 ? -1 : system(command);
}

static struct vtb_record_result record(const struct vtb_record_opts *opts)
{
	struct vtb_record_result res;
	struct vtb_error err = { 0 };

	if (vtb_record_run(opts, &res, &err) < 0)
		fail_msg("%s", err.text);
	return res;
}

/* Member `key` of run.vtb/meta.json, as text; "" if there is none. */
static const char *meta(const char *key)
{
	static char text[64];
	struct vtb_json *doc;

	assert_int_equal(vtb_json_read("run.vtb/meta.json", 1 << 20, &doc, NULL), 0);
	assert_int_equal(vtb_json_expect(doc, vtb_json_root(doc), VTB_RECORDING_FORMAT, VTB_RECORDING_VERSION), 0);
	if (!strcmp(key, "status"))
		snprintf(text, sizeof(text), "%s", vtb_json_get_string(doc, vtb_json_root(doc), key));
	else
		snprintf(text, sizeof(text), "%d",
		         (int)vtb_json_opt_u64(doc, vtb_json_root(doc), key, 1u << 30, 12345));
	vtb_json_free(doc);
	return text;
}

static unsigned entries(const char *path)
{
	DIR *d = opendir(path);
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

static void check_block(void)
{
	struct vtb_block b;

	assert_int_equal(vtb_block_open("run.vtb/process.vtb", &b, NULL), 0);
	vtb_block_close(&b);
}

static void no_children_are_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void a_run_leaves_a_complete_recording(void **state)
{
	const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("exit"), A("7")) };
	const struct vtb_record_result res = record(&opts);

	(void)state;
	assert_int_equal(res.exit_code, 7);
	assert_true(res.attached);
	assert_int_equal(res.threads, 2);
	assert_true(res.accesses > 0 && res.bytes > 0 && !res.lost);
	assert_string_equal(res.note, "");
	assert_string_equal(meta("status"), "ended");
	assert_string_equal(meta("exit_status"), "7");
	check_block();
	assert_int_equal(entries("run.vtb"), 4); /* meta.json, process.vtb, two threads */
	no_children_are_left();
}

static void the_note_says_what_a_plain_build_lacks(void **state)
{
	const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/plain")) };
	const struct vtb_record_result res = record(&opts);

	(void)state;
	assert_int_equal(res.accesses, 0);
	assert_int_equal(res.threads, 2);
	assert_non_null(strstr(res.note, "-fsanitize=thread"));
}

static void death_by_signal_is_128_plus_its_number(void **state)
{
	const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("kill")) };
	const struct vtb_record_result res = record(&opts);

	(void)state;
	assert_int_equal(res.exit_code, 128 + SIGKILL);
	assert_string_equal(meta("signal"), "9");
	check_block();
}

static void errors_about_the_program_leave_nothing(void **state)
{
	struct vtb_record_opts opts = { .argv = ARGV(A("no-such-program")) };
	struct vtb_record_result res;

	(void)state;
	assert_int_equal(vtb_record_run(&opts, &res, NULL), -ENOENT);
	opts.argv = ARGV(A("/etc/passwd"));
	assert_int_equal(vtb_record_run(&opts, &res, NULL), -EACCES);
	opts.argv = ARGV(A(TARGETS "/static"));
	assert_int_equal(vtb_record_run(&opts, &res, NULL), -VTB_E_TARGET);
	opts.argv = ARGV(A(TARGETS "/tsan"));
	opts.backend = "nothing";
	assert_int_equal(vtb_record_run(&opts, &res, NULL), -EINVAL);
	assert_int_equal(entries("."), 0);
}

static void an_old_recording_is_replaced_and_nothing_else_is(void **state)
{
	struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("exit"), A("1")) };
	struct vtb_record_result res;

	(void)state;
	record(&opts);
	opts.argv = ARGV(A(TARGETS "/tsan"), A("exit"), A("2"));
	record(&opts);
	assert_string_equal(meta("exit_status"), "2");
	assert_int_equal(entries("."), 1); /* the old one is gone, under any name */
	assert_int_equal(mkdir("mine", 0777), 0);
	fclose(fopen("mine/thesis.txt", "w"));
	opts.output = "mine";
	assert_true(vtb_record_run(&opts, &res, NULL) < 0);
	assert_int_equal(access("mine/thesis.txt", F_OK), 0);
	opts.output = "mine/thesis.txt";
	assert_true(vtb_record_run(&opts, &res, NULL) < 0);
	opts.output = "no/such/parent";
	assert_int_equal(vtb_record_run(&opts, &res, NULL), -EIO); /* not -ENOENT, which is about the program */
	assert_int_equal(entries("."), 2);
}

static void a_start_that_fails_keeps_the_old_recording(void **state)
{
	struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("exit"), A("1")) };
	struct vtb_record_result res;

	(void)state;
	record(&opts);
	setenv("VTB_RT", "/nonexistent.so", 1);
	assert_int_equal(vtb_record_run(&opts, &res, NULL), -VTB_E_TARGET);
	unsetenv("VTB_RT");
	assert_string_equal(meta("exit_status"), "1");
	assert_int_equal(entries("."), 1);
}

static void until_fail_keeps_the_failing_run(void **state)
{
	const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("exit-file"), A("flag")),
		                              .repeat = 10,
		                              .until_fail = true };
	const struct vtb_record_result res = record(&opts);

	(void)state;
	assert_int_equal(res.runs, 2);
	assert_true(res.failed);
	assert_string_equal(meta("exit_status"), "1");
	assert_string_equal(meta("runs"), "2");
}

static void a_run_that_takes_too_long_is_stopped(void **state)
{
	const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("wait")), .timeout_msec = 200 };
	const struct vtb_record_result res = record(&opts);

	(void)state;
	assert_int_equal(res.exit_code, VTB_RECORD_TIMED_OUT);
	assert_int_equal(res.status, VTB_RECORD_TIMEOUT);
	assert_string_equal(meta("status"), "timeout");
	check_block();
	no_children_are_left();
}

static void a_daemon_left_behind_is_ended_and_counted(void **state)
{
	const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("daemon")) };
	const struct vtb_record_result res = record(&opts);

	(void)state;
	assert_int_equal(res.left_behind, 1);
	no_children_are_left();
}

static void nap(long msec)
{
	const struct timespec t = { .tv_sec = msec / 1000, .tv_nsec = msec % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Record the waiting program in a child of ours; returns when the recording has appeared and the program runs. */
static pid_t record_in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		const struct vtb_record_opts opts = { .argv = ARGV(A(TARGETS "/tsan"), A("wait")) };
		struct vtb_record_result res;
		int r = vtb_record_run(&opts, &res, NULL);

		_exit(r < 0 ? 99 : res.exit_code);
	}
	for (int i = 0; i < 1000 && access("run.vtb/thread-1.vtbe", F_OK); i++)
		nap(10);
	nap(100);
	return pid;
}

static void an_interrupted_recorder_forwards_the_signal_and_finishes(void **state)
{
	pid_t pid = record_in_child();
	int status;

	(void)state;
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
	assert_string_equal(meta("status"), "interrupted");
	check_block();
}

static void a_killed_recorder_leaves_a_valid_recording_and_no_program(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	vtb_launch_adopt(); /* so that we see the program end */
	pid = record_in_child();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(waitpid(-1, &status, 0) > 0); /* the program, killed by its parent's death */
	assert_true(WIFSIGNALED(status));
	assert_string_equal(meta("status"), "running");
	check_block();
	no_children_are_left();
}

int main(void)
{
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, enter_dir, leave_dir)
	const struct CMUnitTest tests[] = {
		IN_DIR(a_run_leaves_a_complete_recording),
		IN_DIR(the_note_says_what_a_plain_build_lacks),
		IN_DIR(death_by_signal_is_128_plus_its_number),
		IN_DIR(errors_about_the_program_leave_nothing),
		IN_DIR(an_old_recording_is_replaced_and_nothing_else_is),
		IN_DIR(a_start_that_fails_keeps_the_old_recording),
		IN_DIR(until_fail_keeps_the_failing_run),
		IN_DIR(a_run_that_takes_too_long_is_stopped),
		IN_DIR(a_daemon_left_behind_is_ended_and_counted),
		IN_DIR(an_interrupted_recorder_forwards_the_signal_and_finishes),
		IN_DIR(a_killed_recorder_leaves_a_valid_recording_and_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
