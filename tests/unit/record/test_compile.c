/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/compile.h"

#define ARGS(...) ((char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })
#define A(s) ((char *)s)

static struct vtb_compile_step step_of(char *const *args)
{
	struct vtb_compile_step step;

	vtb_compile_step_of(args, &step);
	return step;
}

/* The new command line, words joined by blanks. */
static const char *line_with(char *const *argv, enum vtb_compiler compiler, enum vtb_compile_hooks hooks)
{
	static char text[512];
	static char rpath[] = "-Wl,-rpath,/lib", assembler[] = "-B/pads/";
	const struct vtb_compile_step step = step_of(argv + 1);
	const struct vtb_compile_how how = {
		.hooks = hooks, .compiler = compiler, .rpath = rpath, .assembler = assembler
	};
	char **line = vtb_compile_argv(argv, &step, &how);

	text[0] = 0;
	for (char **w = line; *w; w++) {
		strcat(text, *w);
		strcat(text, w[1] ? " " : "");
	}
	free(line);
	return text;
}

static const char *line_of(char *const *argv, enum vtb_compiler compiler)
{
	return line_with(argv, compiler, VTB_COMPILE_TSAN);
}

static void pads_are_put_in_by_an_assembler_of_ours(void **state)
{
	(void)state;
	assert_string_equal(line_with(ARGS(A("gcc"), A("-c"), A("p.c")), VTB_COMPILER_GCC, VTB_COMPILE_PADS),
	                    "gcc -B/pads/ -fno-omit-frame-pointer -dP -g -c p.c -fident");
	assert_string_equal(line_with(ARGS(A("clang"), A("-g"), A("p.c")), VTB_COMPILER_CLANG, VTB_COMPILE_PADS),
	                    "clang -B/pads/ -fno-omit-frame-pointer -fno-integrated-as -g p.c -fident");
	assert_string_equal(
	    line_with(ARGS(A("gcc"), A("-S"), A("p.c")), VTB_COMPILER_GCC, VTB_COMPILE_PADS),
	    "gcc -B/pads/ -fno-omit-frame-pointer -g -S p.c -fident"); /* no notes in what people read */
	assert_string_equal(line_with(ARGS(A("gcc"), A("-E"), A("p.c")), VTB_COMPILER_GCC, VTB_COMPILE_PADS),
	                    "gcc -E p.c");
}

static const char *refusal_of(char *const *args, enum vtb_compile_hooks hooks, enum vtb_compiler compiler)
{
	const struct vtb_compile_step step = step_of(args);

	return vtb_compile_refusal(&step, hooks, compiler);
}

static void what_pads_cannot_do_is_refused_with_a_reason(void **state)
{
	(void)state;
	assert_non_null(refusal_of(ARGS(A("-masm=intel"), A("p.c")), VTB_COMPILE_PADS, VTB_COMPILER_GCC));
	assert_null(refusal_of(ARGS(A("-masm=intel"), A("p.c")), VTB_COMPILE_TSAN, VTB_COMPILER_GCC));
	assert_non_null(refusal_of(ARGS(A("-flto"), A("p.c")), VTB_COMPILE_PADS, VTB_COMPILER_CLANG));
	assert_null(refusal_of(ARGS(A("-flto"), A("p.c")), VTB_COMPILE_PADS,
	                       VTB_COMPILER_GCC)); /* its link step runs the assembler */
	assert_null(refusal_of(ARGS(A("-flto"), A("-fno-lto"), A("p.c")), VTB_COMPILE_PADS, VTB_COMPILER_CLANG));
	assert_null(refusal_of(ARGS(A("-masm=intel"), A("--version")), VTB_COMPILE_PADS, VTB_COMPILER_GCC));
}

static void compile_and_link_get_the_flags_in_front(void **state)
{
	(void)state;
	assert_string_equal(line_of(ARGS(A("gcc"), A("-o"), A("p"), A("p.c")), VTB_COMPILER_GCC),
	                    "gcc -fsanitize=thread -g -o p p.c");
	assert_string_equal(line_of(ARGS(A("gcc"), A("-c"), A("p.c")), VTB_COMPILER_GCC),
	                    "gcc -fsanitize=thread -g -c p.c");
	assert_string_equal(line_of(ARGS(A("gcc"), A("p.o"), A("-g0")), VTB_COMPILER_GCC),
	                    "gcc -fsanitize=thread -g p.o -g0");
}

static void a_g_of_the_users_is_left_alone(void **state)
{
	(void)state;
	assert_string_equal(line_of(ARGS(A("gcc"), A("-ggdb3"), A("p.c")), VTB_COMPILER_GCC),
	                    "gcc -fsanitize=thread -ggdb3 p.c");
	assert_true(step_of(ARGS(A("-gdwarf-4"))).has_debug);
	assert_false(step_of(ARGS(A("-gcc-toolchain"), A("p.c"))).has_debug);
}

#define CLANG_TSAN "-fsanitize=thread -frecord-command-line -Xclang -mllvm -Xclang -tsan-instrument-read-before-write"

static void clang_links_the_shared_runtime(void **state)
{
	(void)state;
	assert_string_equal(line_of(ARGS(A("clang"), A("p.c")), VTB_COMPILER_CLANG),
	                    "clang " CLANG_TSAN " -g -shared-libsan -Wl,-rpath,/lib p.c");
	assert_string_equal(line_of(ARGS(A("clang"), A("-c"), A("p.c")), VTB_COMPILER_CLANG),
	                    "clang " CLANG_TSAN " -g -c p.c");
}

static void queries_and_preprocessing_pass_through(void **state)
{
	(void)state;
	assert_string_equal(line_of(ARGS(A("gcc"), A("--version")), VTB_COMPILER_GCC), "gcc --version");
	assert_string_equal(line_of(ARGS(A("gcc"), A("-E"), A("p.c")), VTB_COMPILER_GCC), "gcc -E p.c");
	assert_string_equal(line_of(ARGS(A("gcc"), A("-MM"), A("p.c")), VTB_COMPILER_GCC), "gcc -MM p.c");
	assert_string_equal(line_of(ARGS(A("gcc")), VTB_COMPILER_GCC), "gcc");
	assert_string_equal(line_of(ARGS(A("gcc"), A("-o"), A("out")), VTB_COMPILER_GCC),
	                    "gcc -o out"); /* the value of -o is no input */
}

static void stops_before_the_linker_are_seen(void **state)
{
	(void)state;
	assert_true(step_of(ARGS(A("p.c"))).links);
	assert_false(step_of(ARGS(A("-S"), A("p.c"))).links);
	assert_true(step_of(ARGS(A("-S"), A("p.c"))).compiles);
	assert_false(step_of(ARGS(A("-fsyntax-only"), A("p.c"))).links);
	assert_true(step_of(ARGS(A("-"), A("-x"), A("c"))).compiles); /* from stdin */
}

static void a_launcher_in_front_keeps_its_place(void **state)
{
	(void)state;
	assert_string_equal(line_of(ARGS(A("ccache"), A("gcc"), A("-c"), A("p.c")), VTB_COMPILER_GCC),
	                    "ccache gcc -fsanitize=thread -g -c p.c");
}

static void another_sanitizer_stops_us_and_static_is_warned_of(void **state)
{
	const struct vtb_compile_step address = step_of(ARGS(A("-fsanitize=undefined,address"), A("p.c"))),
	                              fixed = step_of(ARGS(A("-static"), A("p.c")));
	const struct vtb_compile_step good = step_of(ARGS(A("-fsanitize=undefined"), A("p.c")));

	(void)state;
	assert_string_equal(line_of(ARGS(A("gcc"), A("-fsanitize=address"), A("p.c")), VTB_COMPILER_GCC),
	                    "gcc -fsanitize=address p.c");
	assert_non_null(vtb_compile_warning(&address, VTB_COMPILE_TSAN));
	assert_non_null(vtb_compile_warning(&fixed, VTB_COMPILE_PADS));
	assert_null(vtb_compile_warning(&good, VTB_COMPILE_TSAN));
}

static void response_files_are_looked_into(void **state)
{
	static const char text[] = "-c 'my file.c'\n  \"-g\" -o a\\ b.o";
	char path[] = "/tmp/vtb-test-rsp-XXXXXX", at[64];
	int fd = mkstemp(path);
	struct vtb_compile_step step;

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	snprintf(at, sizeof(at), "@%s", path);
	step = step_of(ARGS(at));
	assert_true(step.compiles && step.has_debug && !step.links);
	unlink(path);
	assert_true(step_of(ARGS(at)).compiles); /* not a file: the compiler takes it for an input, and so do we */
}

static void a_response_file_that_names_itself_ends(void **state)
{
	char path[] = "/tmp/vtb-test-rsp-XXXXXX", at[64];
	int fd = mkstemp(path);

	(void)state;
	snprintf(at, sizeof(at), "@%s", path);
	assert_true(write(fd, at, strlen(at)) > 0);
	close(fd);
	assert_true(step_of(ARGS(at)).compiles); /* the innermost is taken for an input */
	unlink(path);
}

static void compilers_are_known_by_name_and_behind_links(void **state)
{
	char dir[] = "/tmp/vtb-test-cc-XXXXXX", link[64];

	(void)state;
	assert_int_equal(vtb_compiler_of(ARGS(A("clang++-14"))), VTB_COMPILER_CLANG);
	assert_int_equal(vtb_compiler_of(ARGS(A("ccache"), A("clang"))), VTB_COMPILER_CLANG);
	assert_int_equal(vtb_compiler_of(ARGS(A("no-such-compiler"))), VTB_COMPILER_GCC);
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/cc", dir);
	assert_int_equal(symlink("/usr/bin/x86_64-linux-gnu-gcc-12", link), 0);
	assert_int_equal(vtb_compiler_of(ARGS(link)), VTB_COMPILER_GCC);
	unlink(link);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pads_are_put_in_by_an_assembler_of_ours),
		cmocka_unit_test(what_pads_cannot_do_is_refused_with_a_reason),
		cmocka_unit_test(compile_and_link_get_the_flags_in_front),
		cmocka_unit_test(a_g_of_the_users_is_left_alone),
		cmocka_unit_test(clang_links_the_shared_runtime),
		cmocka_unit_test(queries_and_preprocessing_pass_through),
		cmocka_unit_test(stops_before_the_linker_are_seen),
		cmocka_unit_test(a_launcher_in_front_keeps_its_place),
		cmocka_unit_test(another_sanitizer_stops_us_and_static_is_warned_of),
		cmocka_unit_test(response_files_are_looked_into),
		cmocka_unit_test(a_response_file_that_names_itself_ends),
		cmocka_unit_test(compilers_are_known_by_name_and_behind_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
