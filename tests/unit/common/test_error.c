/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtb/error.h"
#include "vtb/log.h"

static void every_error_has_a_text_of_its_own(void **state)
{
	(void)state;
	for (int a = VTB_E_FORMAT; a < VTB_E_MAX; a++) {
		assert_true(strlen(vtb_strerror(-a)) > 5);
		for (int b = VTB_E_FORMAT; b < a; b++)
			assert_string_not_equal(vtb_strerror(-a), vtb_strerror(-b));
	}
	assert_string_equal(vtb_strerror(-ENOENT), strerror(ENOENT));
	assert_non_null(vtb_strerror(-VTB_E_MAX));
	assert_non_null(vtb_strerror(0));
}

static void an_error_prints_as_one_line_with_its_place(void **state)
{
	struct vtb_error err = { 0 };
	char buf[200];

	(void)state;
	assert_int_equal(vtb_error_set(&err, -VTB_E_FORMAT, "a.json", 17, "found %d", 3), -VTB_E_FORMAT);
	assert_string_equal(vtb_error_print(&err, buf, sizeof(buf)), "a.json: offset 17: found 3");
	vtb_error_set_line(&err, -VTB_E_SCHEMA, "a.json", 2, 5, "expected an object");
	assert_string_equal(vtb_error_print(&err, buf, sizeof(buf)), "a.json:2:5: expected an object");
	assert_int_equal(err.offset, 0);
	vtb_error_set(&err, -ENOENT, NULL, 0, "%s", "");
	assert_string_equal(vtb_error_print(&err, buf, sizeof(buf)), strerror(ENOENT));
	assert_string_equal(vtb_error_print(&err, buf, 5), "No s");
	assert_int_equal(vtb_error_set(NULL, -EIO, "x", 0, "y"), -EIO);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
	struct vtb_error err = { 0 };

	(void)state;
	vtb_error_set(&err, -VTB_E_FORMAT, "a\nb\033[2J", 0, "x\ry\177");
	assert_string_equal(err.path, "a?b?[2J");
	assert_string_equal(err.text, "x?y?");
}

static void a_long_path_keeps_its_end(void **state)
{
	struct vtb_error err = { 0 };
	char path[2000];

	(void)state;
	memset(path, 'd', sizeof(path));
	strcpy(path + sizeof(path) - 8, "/x.json");
	vtb_error_set(&err, -EIO, path, 0, "y");
	assert_int_equal(strlen(err.path), sizeof(err.path) - 1);
	assert_memory_equal(err.path, "...", 3);
	assert_string_equal(err.path + strlen(err.path) - 7, "/x.json");
	path[sizeof(err.path) - 1] = '\0'; /* fits exactly */
	vtb_error_set(&err, -EIO, path, 0, "y");
	assert_string_equal(err.path, path);
}

static void an_error_can_be_wrapped_in_itself(void **state)
{
	struct vtb_error err = { 0 };

	(void)state;
	vtb_error_set(&err, -EIO, "a", 0, "inner");
	vtb_error_set(&err, -EIO, err.path, 0, "outer: %s", "inner");
	assert_string_equal(err.path, "a");
}

static void a_broken_invariant_aborts_and_says_where(void **state)
{
	int pipe_fds[2], status;
	char text[300] = "";
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		dup2(pipe_fds[1], 2);
		VTB_ASSERT(1 + 1 == 2);
		VTB_ASSERT(1 + 1 == 3);
		_exit(0);
	}
	close(pipe_fds[1]);
	assert_true(read(pipe_fds[0], text, sizeof(text) - 1) > 0);
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(text, "test_error.c"));
	assert_non_null(strstr(text, "1 + 1 == 3"));
}

/* VTB_LOG is read once: main() has set it. */
static void log_levels_follow_the_environment(void **state)
{
	(void)state;
	assert_int_equal(vtb_log_level("/x/decode.c"), VTB_LOG_DEBUG);
	assert_int_equal(vtb_log_level("synth.c"), VTB_LOG_INFO);
	assert_int_equal(vtb_log_level("plain.c"), VTB_LOG_DEBUG);
	assert_int_equal(vtb_log_level("decoder.c"), VTB_LOG_NONE);
	assert_int_equal(vtb_log_level("odd.c"), VTB_LOG_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_has_a_text_of_its_own),
		cmocka_unit_test(an_error_prints_as_one_line_with_its_place),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(a_long_path_keeps_its_end),
		cmocka_unit_test(an_error_can_be_wrapped_in_itself),
		cmocka_unit_test(a_broken_invariant_aborts_and_says_where),
		cmocka_unit_test(log_levels_follow_the_environment),
	};

	setenv("VTB_LOG", "decode=debug,synth=info,plain,odd=loud", 1);
	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
