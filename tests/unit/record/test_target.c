/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vtb/target.h"

static char dir[] = "/tmp/vtb-test-target-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
	const char *path = in_dir(name);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	fchmod(fd, mode);
	close(fd);
	return path;
}

/* The plain target's bytes, up to `max`. */
static size_t plain_bytes(char *buf, size_t max)
{
	int fd = open(TARGETS "/plain", O_RDONLY);
	ssize_t n = read(fd, buf, max);

	close(fd);
	assert_true(n > 64);
	return (size_t)n;
}

static struct vtb_target inspect(const char *path)
{
	struct vtb_target t;

	assert_int_equal(vtb_target_inspect(path, &t, NULL), 0);
	return t;
}

static void a_plain_program_can_be_followed_but_not_its_accesses(void **state)
{
	struct vtb_target t = inspect(TARGETS "/plain");

	(void)state;
	assert_true(t.elf64 && t.dynamic && t.pie && t.debug_info && t.threads);
	assert_int_equal(t.hooks, VTB_HOOKS_NONE);
	assert_int_equal(t.stubs, 0);
	assert_string_equal(t.refusal, "");
	assert_non_null(strstr(t.advice, "-fsanitize=thread"));
	vtb_target_fini(&t);
}

static void a_tsan_build_is_recognised_and_needs_its_stub(void **state)
{
	struct vtb_target t = inspect(TARGETS "/tsan");

	(void)state;
	assert_int_equal(t.hooks, TSAN_HOOKS);
	assert_int_equal(t.stubs, TSAN_HOOKS == VTB_HOOKS_TSAN_GCC ? VTB_STUB_GCC : VTB_STUB_CLANG);
	assert_string_equal(t.refusal, "");
	assert_string_equal(t.advice, "");
	assert_false(t.blind_reads);
	vtb_target_fini(&t);
}

/* Any two bytes come by chance in a large program, which would lose its claims where the clock cannot be kept from it.
 */
static void bytes_within_other_instructions_do_not_read_the_clock(void **state)
{
	static const struct {
		const char *path;
		bool reads;
	} programs[] = { { TARGETS "/clock-none", false },
		         { TARGETS "/clock-read", true },
		         { TARGETS "/clock-stripped", true } }; /* where functions begin is not known */

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct vtb_target t = inspect(programs[i].path);

		assert_int_equal(t.reads_tsc, programs[i].reads);
		vtb_target_fini(&t);
	}
}

static void clang_builds_that_do_not_show_how_they_were_made_are_blind(void **state)
{
	struct vtb_target t = inspect(TARGETS "/tsan-nodebug");

	(void)state;
	assert_int_equal(t.blind_reads, TSAN_HOOKS == VTB_HOOKS_TSAN_CLANG);
	vtb_target_fini(&t);
}

static void a_program_with_the_sanitizer_inside_is_refused_with_advice(void **state)
{
	struct vtb_target t = inspect(TARGETS "/tsan-static");

	(void)state;
	assert_int_equal(t.hooks, VTB_HOOKS_TSAN_STATIC);
	assert_non_null(strstr(t.refusal, "-static-libtsan"));
	vtb_target_fini(&t);
}

static void a_static_program_is_refused(void **state)
{
	struct vtb_target t = inspect(TARGETS "/static");

	(void)state;
	assert_false(t.dynamic);
	assert_non_null(strstr(t.refusal, "statically linked"));
	vtb_target_fini(&t);
}

static void without_debug_information_that_is_said(void **state)
{
	struct vtb_target t = inspect(TARGETS "/tsan-nodebug");

	(void)state;
	assert_false(t.debug_info);
	assert_non_null(strstr(t.advice, "-g"));
	vtb_target_fini(&t);
}

static void a_script_leads_to_its_interpreter_and_says_so(void **state)
{
	static const char text[] = "#!/bin/sh -e\nexit 0\n", through_env[] = "#!/usr/bin/env sh\nexit 0\n";
	struct vtb_target t = inspect(write_file("script", text, sizeof(text) - 1, 0755));

	(void)state;
	assert_true(t.script);
	assert_string_equal(t.image, "/bin/sh");
	assert_string_equal(t.interpreter_arg, "-e");
	assert_non_null(strstr(t.advice, "/bin/sh"));
	vtb_target_fini(&t);
	t = inspect(write_file("env-script", through_env, sizeof(through_env) - 1, 0755));
	assert_non_null(strstr(t.image, "/sh")); /* not env: what it would start is followed */
	assert_null(t.interpreter_arg);
	vtb_target_fini(&t);
}

static void scripts_that_lead_nowhere_are_errors(void **state)
{
	static const char missing[] = "#!/nonexistent/interpreter\n", empty[] = "#!\n", text[] = "hello\n";
	struct vtb_target t = { 0 };
	char loop[256];

	(void)state;
	assert_int_equal(vtb_target_inspect(write_file("missing", missing, sizeof(missing) - 1, 0755), &t, NULL),
	                 -ENOENT);
	assert_true(vtb_target_inspect(write_file("empty", empty, sizeof(empty) - 1, 0755), &t, NULL) < 0);
	assert_int_equal(vtb_target_inspect(write_file("text", text, sizeof(text) - 1, 0755), &t, NULL), -ENOEXEC);
	assert_int_equal(vtb_target_inspect(write_file("nothing", "", 0, 0755), &t, NULL), -ENOEXEC);
	snprintf(loop, sizeof(loop), "#!%s\n", in_dir("loop"));
	assert_int_equal(vtb_target_inspect(write_file("loop", loop, strlen(loop), 0755), &t, NULL), -ENOEXEC);
	assert_null(t.path);
}

static void a_32_bit_program_is_refused_by_name(void **state)
{
	static char bytes[4096];
	const size_t n = plain_bytes(bytes, sizeof(bytes));
	struct vtb_target t;

	(void)state;
	bytes[EI_CLASS] = ELFCLASS32;
	t = inspect(write_file("elf32", bytes, n, 0755));
	assert_false(t.elf64);
	assert_non_null(strstr(t.refusal, "32-bit"));
	vtb_target_fini(&t);
}

static void another_processors_program_is_refused(void **state)
{
	static char bytes[4096];
	const size_t n = plain_bytes(bytes, sizeof(bytes));
	struct vtb_target t;

	(void)state;
	((Elf64_Ehdr *)bytes)->e_machine = EM_AARCH64;
	t = inspect(write_file("arm", bytes, n, 0755));
	assert_non_null(strstr(t.refusal, "processor"));
	vtb_target_fini(&t);
}

/* Cut anywhere, or with any byte of its first page turned, it must be judged without a crash. */
static void damaged_elf_files_do_no_harm(void **state)
{
	static char bytes[1 << 20], copy[4096];
	const size_t n = plain_bytes(bytes, sizeof(bytes));

	(void)state;
	for (size_t size = 1; size < n; size += size < 256 ? 7 : n / 40 + 1) {
		struct vtb_target t = { 0 };

		if (vtb_target_inspect(write_file("cut", bytes, size, 0755), &t, NULL) >= 0)
			vtb_target_fini(&t);
	}
	for (size_t i = 4; i < 700 && i < n; i += 3) {
		struct vtb_target t = { 0 };

		memcpy(copy, bytes, sizeof(copy));
		copy[i] = (char)(copy[i] ^ 0xff);
		if (vtb_target_inspect(write_file("turned", copy, sizeof(copy), 0755), &t, NULL) >= 0)
			vtb_target_fini(&t);
	}
}

static void programs_are_found_as_a_shell_finds_them(void **state)
{
	char *old = strdup(getenv("PATH") ? getenv("PATH") : "");
	char path[256];
	struct vtb_target t;

	(void)state;
	write_file("forbidden", "x", 1, 0644);
	snprintf(path, sizeof(path), "/nonexistent:%s:%s", dir, TARGETS);
	setenv("PATH", path, 1);
	assert_int_equal(vtb_target_find("plain", NULL, &t, NULL), 0);
	assert_string_equal(t.path, TARGETS "/plain");
	vtb_target_fini(&t);
	assert_int_equal(vtb_target_find("forbidden", NULL, &t, NULL), -EACCES);
	assert_int_equal(vtb_target_find("no-such-program", NULL, &t, NULL), -ENOENT);
	assert_int_equal(vtb_target_find("", NULL, &t, NULL), -ENOENT);
	assert_int_equal(vtb_target_find(dir, NULL, &t, NULL), -EISDIR);
	assert_int_equal(vtb_target_find("./plain", TARGETS, &t, NULL), 0); /* relative to the directory given */
	vtb_target_fini(&t);
	setenv("PATH", old, 1);
	free(old);
}

static void a_setuid_program_is_refused_unless_it_changes_nothing(void **state)
{
	static char bytes[1 << 20];
	const size_t n = plain_bytes(bytes, sizeof(bytes));
	const char *path = write_file("setuid", bytes, n, 0755);
	struct vtb_target t;

	(void)state;
	chmod(path, 04755);
	t = inspect(path);
	assert_false(t.privileged); /* our own user */
	vtb_target_fini(&t);
	if (geteuid() != 0 || chown(path, 65534, (gid_t)-1) < 0)
		skip();
	chmod(path, 04755);
	t = inspect(path);
	assert_true(t.privileged);
	assert_non_null(strstr(t.refusal, "setuid"));
	vtb_target_fini(&t);
}

static void exit_codes_are_those_of_a_shell(void **state)
{
	(void)state;
	assert_int_equal(vtb_target_exit_code(-ENOENT), 127);
	assert_int_equal(vtb_target_exit_code(-EACCES), 126);
	assert_int_equal(vtb_target_exit_code(-EISDIR), 126);
	assert_int_equal(vtb_target_exit_code(-ENOEXEC), 126);
	assert_int_equal(vtb_target_exit_code(-VTB_E_TARGET), 125);
	assert_int_equal(vtb_target_exit_code(-ENOMEM), 125);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_program_can_be_followed_but_not_its_accesses),
		cmocka_unit_test(a_tsan_build_is_recognised_and_needs_its_stub),
		cmocka_unit_test(bytes_within_other_instructions_do_not_read_the_clock),
		cmocka_unit_test(clang_builds_that_do_not_show_how_they_were_made_are_blind),
		cmocka_unit_test(a_program_with_the_sanitizer_inside_is_refused_with_advice),
		cmocka_unit_test(a_static_program_is_refused),
		cmocka_unit_test(without_debug_information_that_is_said),
		cmocka_unit_test(a_script_leads_to_its_interpreter_and_says_so),
		cmocka_unit_test(scripts_that_lead_nowhere_are_errors),
		cmocka_unit_test(a_32_bit_program_is_refused_by_name),
		cmocka_unit_test(another_processors_program_is_refused),
		cmocka_unit_test(damaged_elf_files_do_no_harm),
		cmocka_unit_test(programs_are_found_as_a_shell_finds_them),
		cmocka_unit_test(a_setuid_program_is_refused_unless_it_changes_nothing),
		cmocka_unit_test(exit_codes_are_those_of_a_shell),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
