/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "vtb/cli_options.h"
#include "vtb/mcp.h"
#include "vtb/self.h"

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	(void)data;
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "it takes no arguments, but requests on standard input: \"%s\"", arg);
	return 0;
}

/* Where this program lies, the others do. */
static const char *directory(char buf[static PATH_MAX])
{
	return vtb_self_beside(".", buf) ? buf : ".";
}

int main(int argc, char **argv)
{
	struct vtb_cli cli = { 0 };
	char bin[PATH_MAX];
	const struct vtb_cli_command command = {
		"",
		"Serve hunt, replay, explain and verify-fix as tools of the Model Context Protocol, a JSON-RPC message "
		"a line on standard input and output, until the input ends.\v"
		"Exit: 0 the input has ended, 2 usage, 3 trouble of vtb's own.",
		false,
		&cli,
		{ { 0 } }, /* no options of its own; argp of glibc leaks an empty list */
		argument,
		NULL,
	};
	int r;

	vtb_cli_init(argv[0]);
	vtb_cli_parse(&command, argc, argv);
	signal(SIGPIPE, SIG_IGN); /* a client that is gone is an error of writing */
	r = vtb_mcp_serve(directory(bin), stdin, stdout);
	return r < 0 ? vtb_cli_fail(r, NULL) : VTB_EXIT_GOOD;
}
