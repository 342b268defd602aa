/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtb/cli_options.h"

static void numbers_are_whole_and_in_range(void **state)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1.5", "0x", "0xg", "ten", "1e3" };
	uint64_t n = 4711;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(vtb_cli_number(bad[i], 0, UINT64_MAX, &n), -EINVAL);
	assert_int_equal(vtb_cli_number("18446744073709551616", 0, UINT64_MAX, &n), -ERANGE);
	assert_int_equal(vtb_cli_number("9", 10, 20, &n), -ERANGE);
	assert_int_equal(vtb_cli_number("21", 10, 20, &n), -ERANGE);
	assert_int_equal(n, 4711);
	assert_int_equal(vtb_cli_number("010", 10, 20, &n), 0); /* decimal */
	assert_int_equal(n, 10);
	assert_int_equal(vtb_cli_number("0xFFFFFFFFFFFFFFFF", 0, UINT64_MAX, &n), 0);
	assert_int_equal(n, UINT64_MAX);
}

struct values {
	struct vtb_cli cli;
	bool flag, second;
	const char *text;
	uint32_t number, optional;
	uint64_t large;
	double real;
	int choice;
	char **program;
};

static const char *const words[] = { "auto", "one", "two", NULL }, *const off_on[] = { "off", "on", NULL };

static const struct vtb_cli_row rows[] = {
	{ "flag", NULL, "", VTB_CLI_FLAG, .member = offsetof(struct values, flag) },
	{ "text", "T", "", VTB_CLI_TEXT, .member = offsetof(struct values, text), .letter = 'o' },
	{ "number", "N", "", VTB_CLI_U32, .member = offsetof(struct values, number), .least = 2, .most = 15 },
	{ "optional", "N", "", VTB_CLI_U32, .member = offsetof(struct values, optional), .least = 1, .most = 9,
	  .optional = true },
	{ 0 },
};
static const struct vtb_cli_row more_rows[] = {
	/* a group of its own: its keys are those of the first again */
	{ "large", "N", "", VTB_CLI_U64, .member = offsetof(struct values, large), .most = UINT64_MAX },
	{ "real", "X", "", VTB_CLI_REAL, .member = offsetof(struct values, real), .real_most = 0.5 },
	{ "choice", "W", "", VTB_CLI_CHOICE, .member = offsetof(struct values, choice), .names = words, .first = -1 },
	{ "switch", "W", "", VTB_CLI_SWITCH, .member = offsetof(struct values, second), .names = off_on },
	{ 0 },
};

static error_t take_program(int key, char *arg, struct argp_state *state, void *data)
{
	struct values *v = data;

	(void)arg;
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	v->program = vtb_cli_take_program(state);
	return 0;
}

static void parse_values(int argc, char **argv, struct values *v)
{
	const struct vtb_cli_command command = {
		"PROGRAM", "", true, &v->cli, { { NULL, rows, v }, { "More:", more_rows, v } }, take_program, v
	};

	vtb_cli_parse(&command, argc, argv);
}

static void the_common_options_fill_the_struct(void **state)
{
	char *argv[] = { "vtb-x", "-vv", "-q", "--json", "--seed=0x10", "--color=never", NULL };
	struct values v = { 0 };

	(void)state;
	parse_values(6, argv, &v);
	assert_int_equal(v.cli.verbose, 2);
	assert_true(v.cli.quiet && v.cli.json && v.cli.seed_given);
	assert_int_equal(v.cli.seed, 16);
	assert_int_equal(v.cli.color, VTB_COLOR_NEVER);
}

/* Exit code of a process that parses one argument; its output goes to `text`. */
static int run(const char *arg, char *text, size_t size)
{
	int fds[2], status;
	size_t used = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		char *argv[] = { "/somewhere/vtb-x", (char *)arg, NULL };
		struct values v = { 0 };

		dup2(fds[1], 1);
		dup2(fds[1], 2);
		vtb_cli_init(argv[0]);
		parse_values(2, argv, &v);
		_exit(99);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + used, size - 1 - used)) > 0) /* it comes in pieces */
		used += (size_t)n;
	text[used] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void usage_errors_leave_with_2_and_say_what_is_wrong(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(run("--no-such-option", text, sizeof(text)), 2);
	assert_int_equal(run("--seed=-5", text, sizeof(text)), 2);
	assert_non_null(strstr(text, "vtb-x: --seed: \"-5\" is not a whole number"));
	assert_int_equal(run("--color=pink", text, sizeof(text)), 2);
	assert_non_null(strstr(text, "\"pink\" is none of: auto, always, never"));
	assert_int_equal(run("--version", text, sizeof(text)), 0);
	assert_string_equal(text, "vtb-x (vtb) " VTB_VERSION "\n");
	assert_int_equal(run("--help", text, sizeof(text)), 0);
	assert_non_null(strstr(text, "--seed=N"));
}

static void rows_say_where_values_go(void **state)
{
	char *argv[] = { "vtb-x",
		         "--flag",
		         "-o",
		         "word",
		         "--number=15",
		         "--optional",
		         "--large=18446744073709551615",
		         "--real=0.5",
		         "--choice=two",
		         "--switch=on",
		         "-q",
		         "prog",
		         "--flag",
		         NULL };
	struct values v = { 0 };

	(void)state;
	parse_values(13, argv, &v);
	assert_true(v.flag && v.second && v.cli.quiet);
	assert_string_equal(v.text, "word");
	assert_int_equal(v.number, 15);
	assert_int_equal(v.optional, 1);
	assert_int_equal(v.large, UINT64_MAX);
	assert_true(v.real == 0.5);
	assert_int_equal(v.choice, 1);
	assert_ptr_equal(v.program, argv + 11);
}

static void values_out_of_a_rows_range_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "--number=1", "--number: \"1\" is not a whole number from 2 to 15" },
		{ "--number=16", "from 2 to 15" },
		{ "--optional=0", "from 1 to 9" },
		{ "--large=-1", "--large: \"-1\" is not a whole number of at least 0" },
		{ "--real=0", "--real: \"0\" is not a number above 0 and at most 0.5" },
		{ "--real=0.51", "at most 0.5" },
		{ "--real=nan", "at most 0.5" },
		{ "--real=0.1x", "at most 0.5" },
		{ "--choice=three", "--choice: \"three\" is none of: auto, one, two" },
		{ "--switch=1", "--switch: \"1\" is none of: off, on" },
	};
	char text[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(run(bad[i][0], text, sizeof(text)), VTB_EXIT_USAGE);
		assert_non_null(strstr(text, bad[i][1]));
	}
}

static void colour_follows_the_option_then_the_environment(void **state)
{
	const struct vtb_cli automatic = { 0 }, always = { .color = VTB_COLOR_ALWAYS },
	                     never = { .color = VTB_COLOR_NEVER };
	FILE *file = tmpfile();

	(void)state;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_true(vtb_cli_colored(&always, file));
	assert_false(vtb_cli_colored(&never, file));
	assert_false(vtb_cli_colored(&automatic, file)); /* no terminal */
	setenv("NO_COLOR", "1", 1);
	assert_true(vtb_cli_colored(&always, file));
	assert_string_equal(vtb_style(false, VTB_STYLE_BAD), "");
	assert_string_equal(vtb_style(true, VTB_STYLE_PLAIN), "\033[0m");
	fclose(file);
}

static void failures_map_to_exit_codes(void **state)
{
	struct vtb_error err = { 0 };
	FILE *old = stderr;

	(void)state;
	stderr = tmpfile();
	assert_int_equal(vtb_cli_fail(-VTB_E_FORMAT, NULL), VTB_EXIT_USAGE);
	assert_int_equal(vtb_cli_fail(-ENOENT, NULL), VTB_EXIT_USAGE);
	assert_int_equal(vtb_cli_fail(-ENOMEM, NULL), VTB_EXIT_NOTHING);
	assert_int_equal(vtb_cli_fail(-VTB_E_TARGET, NULL), VTB_EXIT_NOTHING);
	vtb_error_set(&err, -VTB_E_DIVERGED, NULL, 0, "text");
	assert_int_equal(vtb_cli_fail(-1, &err), VTB_EXIT_NOTHING);
	fclose(stderr);
	stderr = old;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(the_common_options_fill_the_struct),
		cmocka_unit_test(rows_say_where_values_go),
		cmocka_unit_test(values_out_of_a_rows_range_are_refused),
		cmocka_unit_test(usage_errors_leave_with_2_and_say_what_is_wrong),
		cmocka_unit_test(colour_follows_the_option_then_the_environment),
		cmocka_unit_test(failures_map_to_exit_codes),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
