/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vtb/user_sources.h"

static bool users(const char *root, const char *module, const char *directory, const char *file)
{
	const struct vtb_place place = { .function = "f", .file = file, .directory = directory };

	return vtb_source_is_users(root, module, &place);
}

static void what_was_compiled_here_is_the_users(void **state)
{
	(void)state;
	assert_true(users(NULL, "/home/me/pool", "/home/me", "pool.cc"));
	assert_true(users(NULL, "/home/me/build/pool", "/home/me/build", "/home/me/src/pool.cc"));
	assert_true(users(NULL, "/home/me/build/libring.so", "/home/me/build", "../include/ring.h"));
	assert_true(users(NULL, "/usr/src/app/a.out", "/usr/src/app", "/usr/src/app/main.cc"));
	assert_true(users(NULL, "/home/me/pool", NULL, "pool.cc"));
}

static void headers_and_libraries_are_not(void **state)
{
	(void)state;
	assert_false(users(NULL, "/home/me/pool", "/home/me", ""));
	assert_false(users(NULL, "/home/me/pool", "/home/me", "/usr/include/c++/12/bits/stl_deque.h"));
	assert_false(users(NULL, "/home/me/pool", "/opt/gcc", "/opt/gcc-13/include/c++/13/mutex"));
	assert_false(users(NULL, "/home/me/pool", "/usr/include", "../include/stdio.h"));
	assert_false(users(NULL, "/home/me/t", "/home/me/build", "/usr/src/googletest/googletest/src/gtest.cc"));
	assert_false(users(NULL, "/home/me/t", "/home/me/build", "/home/me/build/_deps/fmt-src/src/format.cc"));
	assert_false(users(NULL, "/usr/lib/x86_64-linux-gnu/libc.so.6", "/build/glibc/nptl", "pthread_mutex_lock.c"));
	assert_false(users(NULL, "/home/me/build/lib/vtb/libvtb-rt.so", "/home/me", "runtime/sched/run.c"));
}

static void a_root_decides_alone(void **state)
{
	(void)state;
	assert_true(users("/usr/src/googletest", "/home/me/t", "/home/me/build", "/usr/src/googletest/src/gtest.cc"));
	assert_false(users("/usr/src/googletest", "/home/me/t", "/home/me", "t.cc"));
	assert_true(users("/home/me/", "/home/me/t", "/home/me/build", "../t.cc"));
	assert_false(users("/home/me", "/home/me/t", "/home/meier", "t.cc"));
	assert_false(users("/home/me/src", "/home/me/t", "/home/me/src/..", "t.cc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_compiled_here_is_the_users),
		cmocka_unit_test(headers_and_libraries_are_not),
		cmocka_unit_test(a_root_decides_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
