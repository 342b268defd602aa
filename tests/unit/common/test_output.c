/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sample.h"
#include "vtb/output.h"

static unsigned files_in_dir(void)
{
	DIR *d = opendir(sample_dir);
	unsigned n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void content_is(const char *name, const char *expected)
{
	char *got = get_file(name, NULL);

	assert_string_equal(got, expected);
	free(got);
}

static void a_file_appears_only_when_it_is_whole(void **state)
{
	struct vtb_output out;

	(void)state;
	put_file("a", "old");
	assert_int_equal(vtb_output_open(&out, in_dir("a"), NULL), 0);
	fputs("new", out.file);
	fflush(out.file);
	content_is("a", "old");
	assert_int_equal(files_in_dir(), 2);
	assert_int_equal(vtb_output_commit(&out, NULL), 0);
	content_is("a", "new");
	assert_int_equal(files_in_dir(), 1);
	vtb_output_abort(&out);
	content_is("a", "new");
}

static void an_aborted_file_leaves_nothing(void **state)
{
	struct vtb_output out, none = { 0 };

	(void)state;
	put_file("a", "old");
	assert_int_equal(vtb_output_open(&out, in_dir("a"), NULL), 0);
	fputs("new", out.file);
	vtb_output_abort(&out);
	vtb_output_abort(&out);
	vtb_output_abort(&none);
	content_is("a", "old");
	assert_int_equal(files_in_dir(), 1);
}

static void many_files_at_once_are_limited(void **state)
{
	struct vtb_output outs[VTB_OUTPUTS_MAX], one_more;

	(void)state;
	for (int i = 0; i < VTB_OUTPUTS_MAX; i++)
		assert_int_equal(vtb_output_open(&outs[i], in_dir("same"), NULL), 0);
	assert_int_equal(vtb_output_open(&one_more, in_dir("same"), NULL), -EMFILE);
	for (int i = 0; i < VTB_OUTPUTS_MAX; i++)
		vtb_output_abort(&outs[i]);
	assert_int_equal(files_in_dir(), 1); /* "a" of the tests before */
}

static void a_link_keeps_pointing_and_a_device_stays_a_device(void **state)
{
	struct vtb_output out;
	struct stat st;

	(void)state;
	put_file("target", "old");
	assert_int_equal(symlink("target", in_dir("link")), 0);
	assert_int_equal(vtb_output_open(&out, in_dir("link"), NULL), 0);
	fputs("new", out.file);
	assert_int_equal(vtb_output_commit(&out, NULL), 0);
	content_is("target", "new");
	assert_int_equal(lstat(in_dir("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(vtb_output_open(&out, "/dev/null", NULL), 0);
	assert_int_equal(vtb_output_commit(&out, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void errors_name_the_file(void **state)
{
	struct vtb_output out;
	struct vtb_error err = { 0 };

	(void)state;
	assert_int_equal(vtb_output_open(&out, sample_dir, &err), -EISDIR);
	assert_string_equal(err.path, sample_dir);
	assert_int_equal(vtb_output_open(&out, "/no/such/x", &err), -ENOENT);
	assert_string_equal(err.path, "/no/such/x");
	assert_int_equal(vtb_output_open(&out, "/dev/full", &err), 0);
	fputs("x", out.file);
	assert_int_equal(vtb_output_commit(&out, &err), -ENOSPC);
	assert_string_equal(err.path, "/dev/full");
}

static void a_pipe_is_not_waited_for(void **state)
{
	struct vtb_output out;
	int reader;

	(void)state;
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	alarm(10);
	assert_int_equal(vtb_output_open(&out, in_dir("pipe"), NULL), -ENXIO);
	reader = open(in_dir("pipe"), O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(vtb_output_open(&out, in_dir("pipe"), NULL), 0);
	assert_int_equal(fcntl(fileno(out.file), F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(vtb_output_commit(&out, NULL), 0);
	alarm(0);
	close(reader);
	unlink(in_dir("pipe"));
}

static void a_link_that_anybody_could_plant_is_refused(void **state)
{
	struct vtb_output out;
	char link[512];

	(void)state;
	put_file("victim", "mine");
	assert_int_equal(mkdir(in_dir("shared"), 0700), 0);
	assert_int_equal(chmod(in_dir("shared"), 01777), 0);
	snprintf(link, sizeof(link), "%s/report", in_dir("shared"));
	assert_int_equal(symlink("../victim", link), 0);
	assert_int_equal(vtb_output_open(&out, link, NULL), -ELOOP);
	content_is("victim", "mine");
	unlink(link);
	assert_int_equal(vtb_output_open(&out, link, NULL), 0);
	assert_int_equal(vtb_output_commit(&out, NULL), 0);
	unlink(link);
	rmdir(in_dir("shared"));
	unlink(in_dir("victim"));
}

static void a_file_appears_in_the_directory_that_was_opened(void **state)
{
	struct vtb_output out;
	char name[512], moved[600];
	struct stat st;

	(void)state;
	snprintf(name, sizeof(name), "%s", in_dir("one"));
	assert_int_equal(mkdir(name, 0700), 0);
	snprintf(moved, sizeof(moved), "%s/file", name);
	assert_int_equal(vtb_output_open(&out, moved, NULL), 0);
	snprintf(moved, sizeof(moved), "%s", in_dir("two"));
	assert_int_equal(rename(name, moved), 0);
	assert_int_equal(symlink("/nowhere", name), 0);
	assert_int_equal(vtb_output_commit(&out, NULL), 0);
	unlink(name);
	assert_true(snprintf(name, sizeof(name), "%s/file", moved) < (int)sizeof(name));
	assert_int_equal(stat(name, &st), 0);
	unlink(name);
	rmdir(moved);
}

static void a_signal_removes_what_is_half_written(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const unsigned before = files_in_dir();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const pid_t pid = fork();
		int status;

		if (pid == 0) {
			struct vtb_output out;

			signal(signals[i], SIG_DFL);
			vtb_output_guard();
			vtb_output_open(&out, in_dir("half"), NULL);
			fputs("half", out.file);
			fflush(out.file);
			if (files_in_dir() != before + 1)
				_exit(9);
			raise(signals[i]);
			_exit(8);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_int_equal(files_in_dir(), before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_appears_only_when_it_is_whole),
		cmocka_unit_test(an_aborted_file_leaves_nothing),
		cmocka_unit_test(many_files_at_once_are_limited),
		cmocka_unit_test(a_link_keeps_pointing_and_a_device_stays_a_device),
		cmocka_unit_test(errors_name_the_file),
		cmocka_unit_test(a_pipe_is_not_waited_for),
		cmocka_unit_test(a_link_that_anybody_could_plant_is_refused),
		cmocka_unit_test(a_file_appears_in_the_directory_that_was_opened),
		cmocka_unit_test(a_signal_removes_what_is_half_written),
	};

	return cmocka_run_group_tests_name("output", tests, make_dir, remove_dir);
}
