/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room kernel by itself: the table of system calls, the table of what wakes threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
	greg_t g[NGREG] = {[REG_RAX] = SYS_getpid};
	int ends[2];

	(void)state;
	assert_int_equal(vtb_syscall_make(g), getpid());
	assert_int_equal(pipe(ends), 0);
	g[REG_RAX] = SYS_write;
	g[REG_RDI] = ends[1];
	g[REG_RSI] = (greg_t)"abc";
	g[REG_RDX] = 2;
	assert_int_equal(vtb_syscall_make(g), 2);
	g[REG_RDI] = -1;
	assert_int_equal(vtb_syscall_make(g), -9); /* EBADF */
}

static void threads_are_born_with_their_creators_mask(void **state)
{
	struct vtb_rt_thread creator = {.sigmask = 0x1234}, child = {0};

	(void)state;
	vtb_sources = vtb_kernel_sources;
	vtb_sources_born(&child, &creator);
	assert_int_equal(child.sigmask, 0x1234);
	assert_true(vtb_sources_next() == UINT64_MAX); /* no timer is armed */
	assert_false(vtb_sources_outside(false));       /* nor is there a child process */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_has_its_row_by_number),
		cmocka_unit_test(a_call_is_made_with_the_arguments_in_the_registers),
		cmocka_unit_test(threads_are_born_with_their_creators_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
