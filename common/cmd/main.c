/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The umbrella: `vtb x ...` becomes `vtb-x ...`, found beside this program, then in PATH. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "vtb/cli.h"
#include "vtb/self.h"

static const struct command {
	const char *name, *help;
} commands[] = {
	{ "hunt", "find, prove, shrink and draw the bug: the whole loop" },
	{ "resume", "go on with a hunt that was begun with --state" },
	{ "doctor", "what this machine and this program allow, and why" },
	{ NULL, "single stages, each reading the files of the one before" },
	{ "record", "run a program and write what its threads did" },
	{ "decode", "turn a recording into a trace with names and lines" },
	{ "hb", "orders, shared variables, races and locks of a trace" },
	{ "synth", "rank the schedules that are worth trying" },
	{ "replay", "run schedules and say what came of them" },
	{ "viz", "draw or report any of these files" },
	{ "pack", "a failure as one file that another machine replays" },
	{ "triage", "judge recorded runs that passed and failed" },
	{ "run-item", "one piece of a hunt, for clusters: JSON in, JSON out" },
	{ "mcp", "hunt and replay as tools of the Model Context Protocol" },
	{ NULL, "building the program under test" },
	{ "cc", "compile C with fast hooks: vtb cc gcc ..." },
	{ "c++", "compile C++ with fast hooks: vtb c++ g++ ..." },
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *f)
{
	fputs("Usage: vtb COMMAND [options]\n"
	      "Find the thread interleaving that makes a program fail, prove it, and check the fix.\n\n"
	      "  vtb hunt -- ./program args      the main job\n\n",
	      f);
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (commands[i].name)
			fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].help);
		else
			fprintf(f, "\n%s:\n", commands[i].help);
	fputs("\n`vtb help COMMAND` or `vtb COMMAND --help` says more. Exit: 0 good, 1 bug found, 2 usage or bad "
	      "input, 3 proves nothing.\n",
	      f);
}

static bool plain_name(const char *name)
{
	return name[0] && name[0] != '-' && !strchr(name, '/') && strlen(name) < 64;
}

/* Returns only if there is no such command. */
static void run(const char *name, char **argv)
{
	char path[PATH_MAX], program[80];

	snprintf(program, sizeof(program), "vtb-%s", name);
	argv[0] = program;
	if (vtb_self_beside(program, path))
		execv(path, argv);
	else
		errno = ENOENT;
	if (errno == ENOENT)
		execvp(program, argv);
}

static int no_command(const char *name)
{
	vtb_cli_error("\"%s\" is no command; `vtb help` lists them", name);
	return VTB_EXIT_USAGE;
}

static int start(const char *name, char **argv)
{
	if (!plain_name(name))
		return no_command(name);
	run(name, argv);
	if (errno == ENOENT)
		return no_command(name);
	vtb_cli_error("cannot start vtb-%s: %s", name, strerror(errno));
	return VTB_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "help";

	vtb_cli_init("vtb");
	if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
		printf("vtb %s\n", VTB_VERSION);
		return VTB_EXIT_GOOD;
	}
	if (!strcmp(first, "help") && argc > 2)
		return start(argv[2], (char *[]){ NULL, "--help", NULL });
	if (!strcmp(first, "help") || !strcmp(first, "--help") || !strcmp(first, "-h")) {
		print_help(stdout);
		return fflush(stdout) ? VTB_EXIT_NOTHING : VTB_EXIT_GOOD;
	}
	return start(first, argv + 1);
}
