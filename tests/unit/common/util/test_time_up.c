/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtb/cli.h"
#include "vtb/output.h"
#include "vtb/time_up.h"

static void is_late(const char *doing, bool ends, int to)
{
	struct vtb_output out = { .row = -1 };

	dup2(to, 2);
	if (vtb_output_open(&out, "late.json", NULL) < 0)
		_exit(90);
	vtb_time_up_begin(3600, "vtb-test", "nothing was written");
	vtb_time_up_doing(doing);
	fputs("half of it", out.file);
	fflush(out.file);
	if (ends)
		vtb_time_up_begin(-VTB_TIME_UP_GRACE + 0.001, "vtb-test", "nothing was written");
	else
		raise(SIGALRM);
	pause();
	_exit(91);
}

/* Exit code of a process that is late, and what it says. */
static int end_of(const char *doing, bool ends, char *said, size_t size)
{
	int ends_of_pipe[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends_of_pipe), 0);
	pid = fork();
	if (pid == 0)
		is_late(doing, ends, ends_of_pipe[1]);
	close(ends_of_pipe[1]);
	n = read(ends_of_pipe[0], said, size - 1);
	said[n > 0 ? n : 0] = 0;
	close(ends_of_pipe[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void in_a_place_of_its_own(char *dir)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
}

static void who_is_late_says_what_it_was_about_and_leaves_no_file(void **state)
{
	char dir[] = "/tmp/vtb-late-XXXXXX", said[400];

	(void)state;
	in_a_place_of_its_own(dir);
	for (int by_timer = 0; by_timer < 2; by_timer++) {
		assert_int_equal(end_of("stones were being counted", by_timer, said, sizeof(said)), VTB_EXIT_NOTHING);
		assert_string_equal(said, "vtb-test: ended early: the time was over while stones were being counted; "
		                          "nothing was written\n");
		assert_int_equal(rmdir(dir), 0); /* which only an empty directory allows */
		assert_int_equal(mkdir(dir, 0700), 0);
		assert_int_equal(chdir(dir), 0);
	}
	rmdir(dir);
}

static void a_long_text_is_cut(void **state)
{
	char dir[] = "/tmp/vtb-late-XXXXXX", said[600], doing[500];

	(void)state;
	in_a_place_of_its_own(dir);
	memset(doing, 'x', sizeof(doing) - 1);
	doing[sizeof(doing) - 1] = 0;
	assert_int_equal(end_of(doing, false, said, sizeof(said)), VTB_EXIT_NOTHING);
	assert_int_equal(strlen(said), 300);
	rmdir(dir);
}

static void who_has_ended_in_time_goes_on(void **state)
{
	struct itimerval left;

	(void)state;
	vtb_time_up_begin(3600, "vtb-test", "nothing");
	assert_int_equal(getitimer(ITIMER_REAL, &left), 0);
	assert_true(left.it_value.tv_sec > 3000);
	vtb_time_up_end();
	assert_int_equal(getitimer(ITIMER_REAL, &left), 0);
	assert_false(timerisset(&left.it_value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_late_says_what_it_was_about_and_leaves_no_file),
		cmocka_unit_test(a_long_text_is_cut),
		cmocka_unit_test(who_has_ended_in_time_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
