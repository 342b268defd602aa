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
	return setjmp(end) ? 0 : vtb_audit_call(vtb_syscall_row(nr), g);
}

static void what_cannot_be_undone_is_refused_by_name(void **state)
{
	(void)state;
	vtb_engine = &engine;
	assert_null(vtb_audit_begin());
	call(SYS_unlink, (greg_t) "/nowhere", 0, 0);
	assert_string_equal(said, "the program makes a system call that cannot be undone: unlink");
	call(499, 0, 0, 0);
	assert_string_equal(said, "the program makes a system call that cannot be undone: #499");
}

static void a_descriptor_of_the_run_is_closed_after_it(void **state)
{
	long fd;

	(void)state;
	vtb_engine = &engine;
	assert_null(vtb_audit_begin());
	fd = call(SYS_open, (greg_t) "/dev/null", O_RDONLY, 0);
	assert_string_equal(said, "");
	assert_true(fd >= 0);
	assert_false(vtb_audit_clean());
	assert_true(fcntl((int)fd, F_GETFD) >= 0);
	vtb_audit_undo();
	assert_int_equal(fcntl((int)fd, F_GETFD), -1);
	assert_true(vtb_audit_clean());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_undone_is_refused_by_name),
		cmocka_unit_test(a_descriptor_of_the_run_is_closed_after_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
