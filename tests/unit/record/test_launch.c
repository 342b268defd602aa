/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vtb/launch.h"

static struct vtb_runtime_paths paths = { (char *)"/opt/vtb/lib/libvtb-rt.so", (char *)"/opt/vtb/lib/vtb/libtsan.so.2",
	                                  (char *)"/opt/vtb/lib/vtb/libclang_rt.tsan-x86_64.so",
	                                  (char *)"/opt/vtb/lib/vtb/libvtb-cxx.so",
	                                  (char *)"/opt/vtb/lib/vtb/libvtb-omp.so" };

static const char *value_of(char **env, const char *name)
{
	const size_t n = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static size_t count_of(char **env, const char *name)
{
	const size_t n = strlen(name);
	size_t k = 0;

	for (; *env; env++)
		k += !strncmp(*env, name, n) && (*env)[n] == '=';
	return k;
}

static void without_a_runtime_the_environment_is_the_users(void **state)
{
	char *const base[] = { (char *)"A=1", (char *)"LD_PRELOAD=x.so", NULL };
	const struct vtb_target target = { 0 };
	const struct vtb_launch l = { .target = &target, .block_fd = -1 };
	char **env = vtb_launch_environment(&l, base);

	(void)state;
	assert_string_equal(env[0], "A=1");
	assert_string_equal(env[1], "LD_PRELOAD=x.so");
	assert_null(env[2]);
	vtb_launch_environment_free(env);
}

static void the_runtime_is_preloaded_before_stubs_and_the_users_libraries(void **state)
{
	char *const base[] = { (char *)"LD_PRELOAD=a.so:b.so", (char *)"HOME=/root", NULL };
	const struct vtb_target target = { .stubs = VTB_STUB_GCC | VTB_STUB_CLANG };
	const struct vtb_launch l = { .target = &target, .runtime = &paths, .block_fd = 207 };
	char **env = vtb_launch_environment(&l, base);

	(void)state;
	assert_string_equal(value_of(env, "LD_PRELOAD"), "/opt/vtb/lib/libvtb-rt.so:/opt/vtb/lib/vtb/libtsan.so.2:/opt/"
	                                                 "vtb/lib/vtb/libclang_rt.tsan-x86_64.so:a.so:b.so");
	assert_string_equal(value_of(env, "VTB_WIRE"), "fd:207");
	assert_string_equal(value_of(env, "LD_BIND_NOW"), "1");
	assert_string_equal(value_of(env, "GLIBC_TUNABLES"), "glibc.pthread.rseq=0");
	assert_string_equal(value_of(env, "HOME"), "/root");
	vtb_launch_environment_free(env);
}

static void who_has_started_us_is_not_in_the_environment(void **state)
{
	char *const base[] = { (char *)"_=/usr/bin/timeout", NULL };
	const struct vtb_target target = { .path = (char *)"/home/me/prog" };
	const struct vtb_launch l = { .target = &target, .runtime = &paths, .block_fd = 207 };
	char **env = vtb_launch_environment(&l, base);

	(void)state;
	assert_string_equal(value_of(env, "_"), "/home/me/prog");
	vtb_launch_environment_free(env);
}

static void what_stands_before_libstdcxx_is_preloaded_only_into_hooked_programs_that_need_it(void **state)
{
	char *const base[] = { NULL };
	const struct vtb_target targets[] = { { .libstdcxx = true, .hooks = VTB_HOOKS_TSAN_GCC },
		                              { .libstdcxx = true },
		                              { .hooks = VTB_HOOKS_TSAN_GCC },
		                              { .libstdcxx = true, .hooks = VTB_HOOKS_PADS } };

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		const struct vtb_launch l = { .target = &targets[i], .runtime = &paths, .block_fd = 207 };
		char **env = vtb_launch_environment(&l, base);

		assert_string_equal(value_of(env, "LD_PRELOAD"),
		                    i % 3 ? "/opt/vtb/lib/libvtb-rt.so"
		                          : "/opt/vtb/lib/libvtb-rt.so:/opt/vtb/lib/vtb/libvtb-cxx.so");
		vtb_launch_environment_free(env);
	}
}

static void what_stands_before_libgomp_is_preloaded_only_where_it_has_all_that_is_called(void **state)
{
	char *const plain[] = { NULL }, *const bound[] = { (char *)"OMP_PROC_BIND=true", NULL };
	const struct {
		struct vtb_target target;
		char *const *env;
		bool taken;
	} cases[] = { { { .libgomp = true, .hooks = VTB_HOOKS_TSAN_GCC }, plain, true },
		      { { .libgomp = true }, plain, true }, /* its locks and barriers are seen, too */
		      { { .hooks = VTB_HOOKS_TSAN_GCC }, plain, false },
		      { { .libgomp = true, .hooks = VTB_HOOKS_TSAN_STATIC }, plain, false },
		      { { .libgomp = true, .lacks_openmp = true, .hooks = VTB_HOOKS_TSAN_GCC }, plain, false },
		      { { .libgomp = true, .hooks = VTB_HOOKS_TSAN_GCC }, bound, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct vtb_launch l = { .target = &cases[i].target, .runtime = &paths, .block_fd = 207 };
		char **env = vtb_launch_environment(&l, cases[i].env);

		assert_string_equal(value_of(env, "LD_PRELOAD"),
		                    cases[i].taken ? "/opt/vtb/lib/libvtb-rt.so:/opt/vtb/lib/vtb/libvtb-omp.so"
		                                   : "/opt/vtb/lib/libvtb-rt.so");
		vtb_launch_environment_free(env);
	}
}

static void stubs_are_preloaded_only_for_programs_that_need_them(void **state)
{
	char *const base[] = { NULL };
	const struct vtb_target target = { 0 };
	const struct vtb_launch l = {
		.target = &target, .runtime = &paths, .block_fd = -1, .block_path = "/r un/process.vtb"
	};
	char **env = vtb_launch_environment(&l, base);

	(void)state;
	assert_string_equal(value_of(env, "LD_PRELOAD"), "/opt/vtb/lib/libvtb-rt.so");
	assert_string_equal(value_of(env, "VTB_WIRE"), "file:/r un/process.vtb");
	vtb_launch_environment_free(env);
}

static void tunables_are_added_to_and_stale_variables_replaced(void **state)
{
	char *const base[] = { (char *)"GLIBC_TUNABLES=glibc.malloc.check=1", (char *)"VTB_WIRE=fd:9",
		               (char *)"LD_BIND_NOW=", (char *)"LD_PRELOAD=", NULL };
	const struct vtb_target target = { 0 };
	const struct vtb_launch l = { .target = &target, .runtime = &paths, .block_fd = 3 };
	char **env = vtb_launch_environment(&l, base);

	(void)state;
	assert_string_equal(value_of(env, "GLIBC_TUNABLES"), "glibc.malloc.check=1:glibc.pthread.rseq=0");
	assert_int_equal(count_of(env, "VTB_WIRE"), 1);
	assert_int_equal(count_of(env, "LD_PRELOAD"), 1);
	assert_string_equal(value_of(env, "LD_PRELOAD"), "/opt/vtb/lib/libvtb-rt.so");
	vtb_launch_environment_free(env);
}

static void a_runtime_at_a_path_with_blanks_is_refused(void **state)
{
	char dir[] = "/tmp/vtb test XXXXXX", path[64];
	struct vtb_runtime_paths found;
	struct vtb_error err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/libvtb-rt.so", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	setenv("VTB_RT", path, 1);
	assert_int_equal(vtb_runtime_find(&found, &err), -VTB_E_TARGET);
	assert_non_null(strstr(err.text, "blanks"));
	setenv("VTB_RT", "/nonexistent.so", 1);
	assert_int_equal(vtb_runtime_find(&found, NULL), -VTB_E_TARGET);
	unsetenv("VTB_RT");
	unlink(path);
	rmdir(dir);
}

/* ---- starting */

static int start(const char *const *argv, int out, struct vtb_child *child)
{
	struct vtb_target target;
	struct vtb_error err = { 0 };
	struct vtb_launch l = {
		.target = &target, .argv = (char *const *)argv, .block_fd = -1, .stdio = { -1, out, -1 }, .fds = { -1 }
	};
	int r = vtb_target_find(argv[0], NULL, &target, &err);

	if (r < 0)
		return r;
	r = vtb_launch_start(&l, child, &err);
	vtb_target_fini(&target);
	return r;
}

static void wait_for(const struct vtb_child *child, int *status, int *signal)
{
	const struct timespec tick = { .tv_nsec = 2000000 };

	while (vtb_child_poll(child, status, signal) != VTB_CHILD_ENDED)
		nanosleep(&tick, NULL);
}

static void a_program_gets_its_arguments_and_its_status_comes_back(void **state)
{
	static const char *const argv[] = { "sh", "-c", "echo \"$1\"; exit 7", "sh", "a b", NULL };
	struct vtb_child child;
	int fds[2], status = -1, signal = -1;
	char text[16] = "";

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(start(argv, fds[1], &child), 0);
	wait_for(&child, &status, &signal);
	assert_int_equal(status, 7);
	assert_int_equal(signal, 0);
	assert_int_equal(read(fds[0], text, sizeof(text)), 4);
	assert_string_equal(text, "a b\n");
	assert_int_equal(vtb_child_end(&child), 0);
	close(fds[0]);
	close(fds[1]);
}

static void a_signal_is_told_apart_from_a_status(void **state)
{
	static const char *const argv[] = { "sh", "-c", "kill -TERM $$", NULL };
	struct vtb_child child;
	int status, signal;

	(void)state;
	assert_int_equal(start(argv, -1, &child), 0);
	wait_for(&child, &status, &signal);
	assert_int_equal(signal, SIGTERM);
	assert_int_equal(status, 128 + SIGTERM);
	vtb_child_end(&child);
}

static void a_missing_program_is_an_error_and_leaves_no_child(void **state)
{
	static const char *const missing[] = { "no-such-program-here", NULL };
	struct vtb_child child = { 0 };

	(void)state;
	assert_int_equal(start(missing, -1, &child), -ENOENT);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void ending_a_program_ends_what_it_has_left_behind(void **state)
{
	static const char *const argv[] = { "sh", "-c", "sleep 1000 & setsid sleep 1000 & exit 0", NULL };
	struct vtb_child child;
	int status, signal;

	(void)state;
	vtb_launch_adopt();
	assert_int_equal(start(argv, -1, &child), 0);
	wait_for(&child, &status, &signal);
	assert_int_equal(vtb_child_end(&child), 2);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void ending_one_program_spares_another(void **state)
{
	static const char *const argv[] = { "sleep", "1000", NULL };
	struct vtb_child a, b;
	int status, signal;

	(void)state;
	assert_int_equal(start(argv, -1, &a), 0);
	assert_int_equal(start(argv, -1, &b), 0);
	assert_int_equal(vtb_child_end(&a), 0);
	assert_int_equal(vtb_child_poll(&b, &status, &signal), VTB_CHILD_RUNNING);
	assert_int_equal(vtb_child_end(&b), 0);
}

/* The launcher is killed; its program, which nobody told, must go too. */
static void a_program_dies_with_its_launcher(void **state)
{
	static const char *const argv[] = { "sleep", "1000", NULL };
	int fds[2], status;
	pid_t launcher, program = 0;

	(void)state;
	vtb_launch_adopt();
	assert_int_equal(pipe(fds), 0);
	launcher = fork();
	if (launcher == 0) {
		struct vtb_child child;

		if (start(argv, -1, &child) < 0 || write(fds[1], &child.pid, sizeof(child.pid)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(fds[0], &program, sizeof(program)), sizeof(program));
	kill(launcher, SIGKILL);
	assert_int_equal(waitpid(launcher, &status, 0), launcher);
	assert_int_equal(waitpid(program, &status, 0), program); /* we adopted it */
	assert_true(WIFSIGNALED(status));
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_runtime_the_environment_is_the_users),
		cmocka_unit_test(the_runtime_is_preloaded_before_stubs_and_the_users_libraries),
		cmocka_unit_test(who_has_started_us_is_not_in_the_environment),
		cmocka_unit_test(what_stands_before_libstdcxx_is_preloaded_only_into_hooked_programs_that_need_it),
		cmocka_unit_test(what_stands_before_libgomp_is_preloaded_only_where_it_has_all_that_is_called),
		cmocka_unit_test(stubs_are_preloaded_only_for_programs_that_need_them),
		cmocka_unit_test(tunables_are_added_to_and_stale_variables_replaced),
		cmocka_unit_test(a_runtime_at_a_path_with_blanks_is_refused),
		cmocka_unit_test(a_program_gets_its_arguments_and_its_status_comes_back),
		cmocka_unit_test(a_signal_is_told_apart_from_a_status),
		cmocka_unit_test(a_missing_program_is_an_error_and_leaves_no_child),
		cmocka_unit_test(ending_a_program_ends_what_it_has_left_behind),
		cmocka_unit_test(ending_one_program_spares_another),
		cmocka_unit_test(a_program_dies_with_its_launcher),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
