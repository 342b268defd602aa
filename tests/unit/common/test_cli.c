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

#include "vtb/cli.h"

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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp argp = { .parser = parse, .children = vtb_cli_children };

static void the_common_options_fill_the_struct(void **state)
{
	char *argv[] = { "vtb-x", "-vv", "-q", "--json", "--seed=0x10", "--color=never", NULL };
	struct vtb_cli cli = { 0 };

	(void)state;
	assert_int_equal(argp_parse(&argp, 6, argv, 0, NULL, &cli), 0);
	assert_int_equal(cli.verbose, 2);
	assert_true(cli.quiet && cli.json && cli.seed_given);
	assert_int_equal(cli.seed, 16);
	assert_int_equal(cli.color, VTB_COLOR_NEVER);
}

/* Exit code of a process that parses one argument; its output goes to `text`. */
static int run(char *arg, char *text, size_t size)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		char *argv[] = { "/somewhere/vtb-x", arg, NULL };
		struct vtb_cli cli = { 0 };

		dup2(fds[1], 1);
		dup2(fds[1], 2);
		vtb_cli_init(argv[0]);
		argp_parse(&argp, 2, argv, 0, NULL, &cli);
		_exit(99);
	}
	close(fds[1]);
	n = read(fds[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
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

static void colour_follows_the_option_then_the_environment(void **state)
{
	const struct vtb_cli automatic = { 0 }, always = { .color = VTB_COLOR_ALWAYS }, never = { .color = VTB_COLOR_NEVER };
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
		cmocka_unit_test(usage_errors_leave_with_2_and_say_what_is_wrong),
		cmocka_unit_test(colour_follows_the_option_then_the_environment),
		cmocka_unit_test(failures_map_to_exit_codes),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
