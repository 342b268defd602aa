/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "vtb/cli_options.h"
#include "vtb/items.h"

struct args {
	struct vtb_cli cli;
	bool end_with_parent;
	const char *path; /* NULL: standard input */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static const struct vtb_cli_row rows[] = {
	{ "end-with-parent", NULL, "Be killed when the process that has started this one ends", VTB_CLI_FLAG,
	  .member = offsetof(struct args, end_with_parent) },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct args *a = data;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (a->path)
		argp_error(state, "one FILE: \"%s\" is another", arg);
	a->path = arg;
	return 0;
}

/* Programs that are hunted do not read items. */
static FILE *take_input(struct vtb_error *err)
{
	const int items = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	FILE *in = items >= 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) == 0 ? fdopen(items, "r") : NULL;

	if (!in)
		vtb_error_set(err, -errno, NULL, 0, "standard input: %s", strerror(errno));
	if (nothing > 0)
		close(nothing);
	return in;
}

static int answer_lines(struct vtb_error *err)
{
	FILE *in = take_input(err);
	const int r = in ? vtb_items_answer_lines(in, stdout, &interrupted, err) : -EIO;

	if (in)
		fclose(in);
	return r;
}

static void take_signals(bool end_with_parent)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = on_signal };
	const pid_t parent = getppid();

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	if (end_with_parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent))
		_exit(VTB_EXIT_NOTHING);
}

int main(int argc, char **argv)
{
	struct args a = { 0 };
	struct vtb_error err = { 0 };
	const struct vtb_cli_command command = {
		"[FILE]",
		"Run one work item of a hunt, a JSON object in FILE, and write its result, a JSON object, to standard "
		"output. Without FILE: an item a line on standard input, and a result a line, until the input ends.\v"
		"Exit: 0 results are written, whatever they say; 2 usage or no item; 3 trouble of vtb's own.",
		false,
		&a.cli,
		{ { NULL, rows, &a } },
		argument,
		&a,
	};
	int r;

	vtb_cli_init(argv[0]);
	vtb_cli_parse(&command, argc, argv);
	take_signals(a.end_with_parent);
	r = a.path ? vtb_items_answer_file(a.path, stdout, &interrupted, &err) : answer_lines(&err);
	return r < 0 ? vtb_cli_fail(r, &err) : VTB_EXIT_GOOD;
}
