/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room engines by itself: a call that cannot be undone is refused by name before it is made, one that can be is
 * undone. */
#include <setjmp.h>
#include <stdarg.h>
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
	static const long calls[] = { SYS_close, SYS_dup, SYS_write, SYS_read, SYS_pwrite64 };
	const int fd = open("/dev/null", O_RDWR);

	(void)state;
	vtb_files_remember();
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		call(calls[i], fd, (greg_t) "x", 1);
		assert_non_null(strstr(said, "that was open before") ? said : strstr(said, " to a file or socket"));
	}
	call(SYS_dup2, call(SYS_open, (greg_t) "/dev/null", O_RDONLY, 0), fd, 0);
	assert_non_null(strstr(said, "dup2"));
	vtb_audit_undo();
	assert_true(fcntl(fd, F_GETFD) >= 0);
	close(fd);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_undone_is_refused_by_name),
		cmocka_unit_test(a_descriptor_of_the_run_is_closed_after_it),
		cmocka_unit_test(so_is_one_that_is_made_from_it),
		cmocka_unit_test(one_that_was_there_stays),
		cmocka_unit_test(settings_are_put_back),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
