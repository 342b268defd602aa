/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room carriers by itself: contexts on stacks of their own, by all ways to set the fs base; the rows of
 * carriers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base.h"
#include "carriers.h"
#include "fs_guard.h"

static char stack[65536] __attribute__((aligned(16)));
static void *here, *there;
static uint64_t fs;
static int visits;

static void entry(void)
{
	for (;;) {
		visits++;
		vtb_fiber_switch(&there, here, fs);
	}
}

static void go_there_and_back(void)
{
	visits = 0;
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), entry);
	for (int i = 1; i <= 100; i++) {
		vtb_fiber_switch(&here, there, fs);
		assert_int_equal(visits, i);
	}
}

static void a_context_goes_on_where_it_has_left(void **state)
{
	(void)state;
	vtb_rt.lacks = VTB_LACKS_FSGSBASE | VTB_LACKS_GUARD;
	vtb_fiber_look(true);
	assert_int_equal(vtb_fiber_means(), 0);
	go_there_and_back();
	vtb_rt.lacks = VTB_LACKS_FSGSBASE;
	vtb_fiber_look(true);
	assert_false(vtb_fiber_fsgsbase);
	go_there_and_back();
	vtb_fs_guard_end();
	vtb_rt.lacks = 0;
	vtb_fiber_look(true);
	go_there_and_back();
}

/* ---- where the kernel does not know the base */

#define SLEEPS 20

static uint64_t block[1024]; /* thread-local storage of `sleeper`, which uses no more of it than that it knows itself */
static uint64_t after_sleep[SLEEPS];

static void sleeper(void)
{
	static const struct timespec moment = { .tv_nsec = 1000 };

	for (int i = 0; i < SLEEPS; i++) {
		sys3(SYS_nanosleep, (long)&moment, 0, 0); /* another process has the processor meanwhile */
		after_sleep[i] = vtb_fiber_fs();
		vtb_fiber_switch(&there, here, fs);
	}
}

/* On the kernels where it was tried, and newer ones: whoever has the event and the instruction can be guarded. */
static bool must_work(void)
{
#ifdef PERF_ATTR_SIZE_VER7
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		                        .size = sizeof(attr),
		                        .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		                        .sample_period = 1000000000,
		                        .sigtrap = 1,
		                        .remove_on_exec = 1 };
	struct utsname name;
	int major = 0, minor = 0, status = -1;
	const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	const pid_t child = fork();

	if (child == 0) {
		__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xc0" /* rdfsbase %rax */ ::: "rax");
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (fd >= 0)
		close((int)fd);
	uname(&name);
	return fd >= 0 && status == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 18));
#else
	return false;
#endif
}

static void guard(void)
{
	vtb_rt.lacks = VTB_LACKS_FSGSBASE;
	vtb_fiber_look(true);
	if (vtb_fiber_means() != VTB_MEANS_FS_GUARD && !must_work())
		skip(); /* the kernel has no such events, or does not allow them */
	assert_int_equal(vtb_fiber_means(), VTB_MEANS_FS_GUARD);
}

static void a_guarded_base_outlasts_context_switches(void **state)
{
	const uint64_t base = (uint64_t)&block[512];

	(void)state;
	guard();
	block[512] = base;
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), sleeper);
	for (int i = 0; i < SLEEPS; i++)
		vtb_fiber_switch(&here, there, base);
	assert_true(vtb_fs_guard_holds());
	vtb_fs_guard_end();
	assert_false(vtb_fs_guard_is_on());
	for (int i = 0; i < SLEEPS; i++)
		assert_int_equal(after_sleep[i], base);
	assert_int_equal(vtb_fiber_fs(), fs);
}

static uint64_t in_handler;

static void on_signal(int signal)
{
	(void)signal;
	in_handler = vtb_fiber_fs();
}

static void mask(int how, uint64_t set)
{
	sys6(SYS_rt_sigprocmask, how, (long)&set, 0, 8, 0, 0);
}

/* While both signals wait, the thread loses the processor. */
static void interrupted(void)
{
	static const struct timespec moment = { .tv_nsec = 1000 };
	const uint64_t both = 1ull << (SIGTRAP - 1) | 1ull << (SIGUSR1 - 1);

	mask(SIG_BLOCK, both);
	sys3(SYS_tgkill, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), SIGUSR1);
	sys3(SYS_nanosleep, (long)&moment, 0, 0);
	mask(SIG_UNBLOCK, both);
	vtb_fiber_switch(&there, here, fs);
}

/* Another signal's handler begins after the base was set again, not before. */
static void handlers_find_the_base(void **state)
{
	const uint64_t base = (uint64_t)&block[512];

	(void)state;
	guard();
	block[512] = base;
	in_handler = 0;
	sys_handle(SIGUSR1, (void *)on_signal, 0, 0);
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), interrupted);
	vtb_fiber_switch(&here, there, base);
	vtb_fs_guard_end();
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(in_handler, base);
}

static void idle(void)
{
	for (;;)
		vtb_fiber_switch(&there, here, fs);
}

/* By the system call at first, then by the instruction; never where that is forbidden. */
static void who_switches_often_is_guarded_later(void **state)
{
	(void)state;
	guard();
	vtb_fiber_guard_later();
	assert_false(vtb_fs_guard_is_on());
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), idle);
	for (int i = 0; i < 100; i++)
		vtb_fiber_switch(&here, there, fs);
	assert_false(vtb_fs_guard_is_on());
	for (int i = 0; i < 1000; i++)
		vtb_fiber_switch(&here, there, fs);
	assert_true(vtb_fs_guard_is_on());
	vtb_fiber_never_guard();
	for (int i = 0; i < 1000; i++)
		vtb_fiber_switch(&here, there, fs);
	assert_false(vtb_fs_guard_is_on());
	assert_false(vtb_fs_guard_begin());
}

/* The kernel gives a new process the base that it knows. */
static void parts(void)
{
	vtb_fiber_about_to_fork();
	after_sleep[0] = (uint64_t)sys3(SYS_fork, 0, 0, 0);
	if (after_sleep[0] == 0)
		sys_exit_group(vtb_fiber_fs() == (uint64_t)&block[512] ? 3 : 4);
	vtb_fiber_switch(&there, here, fs);
}

static void a_process_that_is_made_has_the_base_of_the_fiber(void **state)
{
	int status = 0;

	(void)state;
	guard();
	block[512] = (uint64_t)&block[512];
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), parts);
	vtb_fiber_switch(&here, there, (uint64_t)&block[512]);
	vtb_fs_guard_end();
	assert_int_equal(waitpid((pid_t)after_sleep[0], &status, 0), (pid_t)after_sleep[0]);
	assert_int_equal(WEXITSTATUS(status), 3);
}

static void after_fork_threads_carry(void **state)
{
	(void)state;
	assert_ptr_equal(vtb_carrier_fibers.forked, &vtb_carrier_threads);
	assert_ptr_equal(vtb_carrier_threads.forked, &vtb_carrier_threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_goes_on_where_it_has_left),
		cmocka_unit_test(a_guarded_base_outlasts_context_switches),
		cmocka_unit_test(handlers_find_the_base),
		cmocka_unit_test(a_process_that_is_made_has_the_base_of_the_fiber),
		cmocka_unit_test(who_switches_often_is_guarded_later),
		cmocka_unit_test(after_fork_threads_carry),
	};

	static struct vtb_wire_header header;

	vtb_rt.block = &header;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
