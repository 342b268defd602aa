/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room kernel by itself: the table of system calls, the table of what wakes threads. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/named.h"
#include "signals.h"
#include "wake_source.h"
#include "sys.h"
#include "syscalls.h"

static void a_call_has_its_row_by_number(void **state)
{
	(void)state;
	assert_string_equal(vtb_syscall_row(SYS_read)->name, "read");
	assert_string_equal(vtb_syscall_row(SYS_futex)->name, "futex");
	assert_int_equal(vtb_syscall_row(SYS_futex)->wait, WAIT_FUTEX);
	assert_null(vtb_syscall_row(-1)->name);
	assert_null(vtb_syscall_row(100000)->name);
	assert_int_equal(vtb_syscall_row(100000)->undo, UNDO_NONE);
}

static void a_call_is_made_with_the_arguments_in_the_registers(void **state)
{
	greg_t g[NGREG] = { [REG_RAX] = SYS_getpid };
	int ends[2];

	(void)state;
	assert_int_equal(vtb_syscall_make(g), getpid());
	assert_int_equal(pipe(ends), 0);
	g[REG_RAX] = SYS_write;
	g[REG_RDI] = ends[1];
	g[REG_RSI] = (greg_t) "abc";
	g[REG_RDX] = 2;
	assert_int_equal(vtb_syscall_make(g), 2);
	g[REG_RDI] = -1;
	assert_int_equal(vtb_syscall_make(g), -9); /* EBADF */
}

/* The file that a call is about, by its row: arguments are 1 to 6. */
static void assert_names(long nr, int dir, uintptr_t name, bool follows)
{
	greg_t g[NGREG] = { [REG_RDI] = 1, [REG_RSI] = 2, [REG_RDX] = 3, [REG_R10] = 4, [REG_R8] = 5, [REG_R9] = 6 };
	const struct vtb_syscall *row = vtb_syscall_row(nr);
	const struct vtb_named n = vtb_named(row, g);

	assert_int_equal(n.dir, dir);
	assert_int_equal((uintptr_t)n.name, name);
	assert_int_equal(vtb_named_follows(row), follows);
}

static void a_row_says_which_file_a_call_is_about(void **state)
{
	greg_t g[NGREG] = { [REG_RDI] = 1, [REG_RSI] = 2, [REG_RDX] = 3, [REG_R10] = 4, [REG_R8] = 5 };
	const struct vtb_named old = vtb_named_source(vtb_syscall_row(SYS_renameat2), g);

	(void)state;
	assert_names(SYS_open, AT_FDCWD, 1, true);
	assert_names(SYS_openat, 1, 2, true);
	assert_names(SYS_unlink, AT_FDCWD, 1, false);
	assert_names(SYS_unlinkat, 1, 2, false);
	assert_names(SYS_symlink, AT_FDCWD, 2, false);
	assert_names(SYS_symlinkat, 2, 3, false);
	assert_names(SYS_rename, AT_FDCWD, 2, false);
	assert_names(SYS_renameat2, 3, 4, false);
	assert_names(SYS_ftruncate, 1, 0, false);
	assert_names(SYS_copy_file_range, 3, 0, false);
	assert_names(SYS_mmap, 5, 0, false);
	assert_int_equal(old.dir, 1);
	assert_int_equal((uintptr_t)old.name, 2);
	assert_int_equal(vtb_named_flags(vtb_syscall_row(SYS_open), g), 2);
	assert_int_equal(vtb_named_flags(vtb_syscall_row(SYS_openat), g), 3);
	assert_int_equal(vtb_named_flags(vtb_syscall_row(SYS_creat), g), O_CREAT | O_WRONLY | O_TRUNC);
}

static void threads_are_born_with_their_creators_mask(void **state)
{
	struct vtb_rt_thread creator = { .kernel.sigmask = 0x1234 }, child = { 0 };

	(void)state;
	vtb_sources = vtb_kernel_sources;
	vtb_sources_born(&child, &creator);
	assert_int_equal(child.kernel.sigmask, 0x1234);
	assert_true(vtb_sources_next() == UINT64_MAX); /* no timer is armed */
	assert_false(vtb_sources_outside(false));      /* nor is there a child process */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_its_row_by_number),
		cmocka_unit_test(a_call_is_made_with_the_arguments_in_the_registers),
		cmocka_unit_test(a_row_says_which_file_a_call_is_about),
		cmocka_unit_test(threads_are_born_with_their_creators_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
