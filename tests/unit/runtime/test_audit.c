/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room engines by itself: a call that cannot be undone is refused by name before it is made, one that can be is
 * undone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.h"
#include "engines.h"
#include "sys.h"
#include "syscalls.h"

static jmp_buf end;
static char said[256];

static void cannot_undo(const char *what)
{
	strncpy(said, what, sizeof(said) - 1);
	longjmp(end, 1);
}

static const struct vtb_engine engine = { .name = "test", .cannot_undo = cannot_undo };

static long call(long nr, greg_t a, greg_t b, greg_t c)
{
	greg_t g[NGREG] = { [REG_RAX] = nr, [REG_RDI] = a, [REG_RSI] = b, [REG_RDX] = c };

	said[0] = 0;
	if (setjmp(end))
		return 0;
	vtb_audit_permit(vtb_syscall_row(nr), g);
	return vtb_audit_call(vtb_syscall_row(nr), g);
}

static int begin(void **state)
{
	(void)state;
	vtb_engine = &engine;
	assert_null(vtb_audit_begin());
	vtb_files_remember();
	return 0;
}

static void what_cannot_be_undone_is_refused_by_name(void **state)
{
	(void)state;
	call(SYS_unlink, (greg_t) "/nowhere", 0, 0);
	assert_string_equal(said, "the program makes a system call that cannot be undone: unlink");
	call(499, 0, 0, 0);
	assert_string_equal(said, "the program makes a system call that cannot be undone: #499");
}

static void a_descriptor_of_the_run_is_closed_after_it(void **state)
{
	long fd;

	(void)state;
	fd = call(SYS_open, (greg_t) "/dev/null", O_RDONLY, 0);
	assert_string_equal(said, "");
	assert_true(fd >= 0);
	assert_false(vtb_audit_clean());
	assert_true(fcntl((int)fd, F_GETFD) >= 0);
	vtb_audit_undo();
	assert_int_equal(fcntl((int)fd, F_GETFD), -1);
	assert_true(vtb_audit_clean());
}

static void so_is_one_that_is_made_from_it(void **state)
{
	long fd, copy;

	(void)state;
	fd = call(SYS_open, (greg_t) "/dev/null", O_RDONLY, 0);
	copy = call(SYS_fcntl, fd, F_DUPFD, 200);
	assert_true(copy >= 200);
	assert_int_equal(call(SYS_dup2, fd, 300, 0), 300);
	vtb_audit_undo();
	assert_int_equal(fcntl((int)copy, F_GETFD), -1);
	assert_int_equal(fcntl(300, F_GETFD), -1);
}

static void one_that_was_there_stays(void **state)
{
	static const long calls[] = { SYS_dup, SYS_write, SYS_read, SYS_pwrite64 };
	const int fd = open("/dev/null", O_RDWR);

	(void)state;
	vtb_files_remember();
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		call(calls[i], fd, (greg_t) "x", 1);
		assert_non_null(strstr(said, "that was open before") ? said : strstr(said, " to a file or socket"));
	}
	vtb_audit_undo();
	assert_true(fcntl(fd, F_GETFD) >= 0);
	close(fd);
}

static bool is_at(int fd, off_t place, const struct stat *file)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == file->st_ino && lseek(fd, 0, SEEK_CUR) == place;
}

/* Closed, replaced, closed again: at the end there is the same open file, with the same flag; and no copy is left. */
static void one_that_was_there_and_is_closed_goes_back(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY), through_exec = dup(fd);
	struct stat file;
	greg_t other;
	int copy;

	(void)state;
	fstat(fd, &file);
	lseek(fd, 7, SEEK_SET);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	vtb_files_remember();
	for (int i = 0; i < 2; i++) {
		assert_false(vtb_files_of_run(fd));
		assert_int_equal(call(SYS_close, fd, 0, 0), 0);
		assert_string_equal(said, "");
		assert_true(vtb_files_of_run(fd));
		assert_int_equal(fcntl(fd, F_GETFD), -1);
		other = call(SYS_open, (greg_t) "/dev/null", O_RDONLY, 0);
		assert_int_equal(other, fd); /* the lowest that is free */
		assert_int_equal(call(SYS_dup2, other, through_exec, 0), through_exec);
		assert_int_equal(call(SYS_close, through_exec, 0, 0), 0);
		assert_false(vtb_audit_clean());
		for (copy = 900; fcntl(copy, F_GETFD) < 0; copy++)
			continue;
		assert_int_equal(call(SYS_close, copy, 0, 0), 0); /* of a copy there is another copy */
		vtb_audit_undo();
		assert_true(vtb_audit_clean());
		assert_true(is_at(fd, 7, &file) && is_at(through_exec, 7, &file));
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(fcntl(through_exec, F_GETFD), 0);
		for (copy = 900; copy < 1000; copy++)
			assert_int_equal(fcntl(copy, F_GETFD), -1);
	}
	close(through_exec);
	close(fd);
}

static void more_than_can_be_kept_are_refused(void **state)
{
	int fds[80], n = 0;

	(void)state;
	for (int i = 0; i < 80; i++)
		fds[i] = open("/dev/null", O_RDONLY);
	vtb_files_remember();
	while (n < 80 && call(SYS_close, fds[n], 0, 0) == 0 && !said[0])
		n++;
	assert_true(n > 0 && n < 80);
	assert_non_null(strstr(said, "close of a file that was open before"));
	vtb_audit_undo();
	for (int i = 0; i < 80; i++)
		assert_int_equal(close(fds[i]), 0);
}

static void settings_are_put_back(void **state)
{
	struct rlimit before, other, now;
	const mode_t mask = umask(022);

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	other = (struct rlimit){ before.rlim_cur - 1, before.rlim_max };
	assert_int_equal(call(SYS_setrlimit, RLIMIT_NOFILE, (greg_t)&other, 0), 0);
	assert_int_equal(call(SYS_umask, 077, 0, 0), 022);
	assert_false(vtb_audit_clean());
	vtb_audit_undo();
	getrlimit(RLIMIT_NOFILE, &now);
	assert_int_equal(now.rlim_cur, before.rlim_cur);
	assert_int_equal(umask(mask), 022);
	other = (struct rlimit){ before.rlim_cur - 1, before.rlim_max - 1 };
	call(SYS_setrlimit, RLIMIT_NOFILE, (greg_t)&other, 0);
	assert_non_null(strstr(said, "hard limit"));
	assert_true(vtb_audit_clean());
}

/* Twice, since the second note of the same setting must not become what is put back. */
static void flags_of_a_file_that_was_open_are_put_back(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	const int before = fcntl(fd, F_GETFL);

	(void)state;
	vtb_files_remember();
	assert_int_equal(call(SYS_fcntl, fd, F_SETFL, before | O_NONBLOCK), 0);
	assert_int_equal(call(SYS_fcntl, fd, F_SETFL, before | O_NONBLOCK | O_APPEND), 0);
	assert_int_equal(call(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC), 0);
	assert_string_equal(said, "");
	assert_int_equal(fcntl(fd, F_GETFL), before | O_NONBLOCK | O_APPEND);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_false(vtb_audit_clean());
	assert_int_equal(call(SYS_close, fd, 0, 0), 0); /* it is this file's flags that go back, not its successor's */
	vtb_audit_undo();
	assert_true(vtb_audit_clean());
	assert_int_equal(fcntl(fd, F_GETFL), before);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_undone_is_refused_by_name),
		cmocka_unit_test(a_descriptor_of_the_run_is_closed_after_it),
		cmocka_unit_test(so_is_one_that_is_made_from_it),
		cmocka_unit_test(one_that_was_there_stays),
		cmocka_unit_test(one_that_was_there_and_is_closed_goes_back),
		cmocka_unit_test(more_than_can_be_kept_are_refused),
		cmocka_unit_test(settings_are_put_back),
		cmocka_unit_test(flags_of_a_file_that_was_open_are_put_back),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
