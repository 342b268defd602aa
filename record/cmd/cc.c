/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-cc, vtb-c++: put in front of a compiler's command line. `vtb cc gcc -o prog prog.c` */
#include "vtb/cli.h"
#include "vtb/compile.h"

#include <stdio.h>
#include <string.h>

#define NOT_THERE 127 /* as shells say it */

static int usage(FILE *to, const char *name, int code)
{
	fprintf(to,
	        "Usage: %s [--hooks=pads|tsan] COMPILER [ARGUMENT...]\n"
	        "Run COMPILER so that vtb sees the memory accesses of the program it builds.\n\n"
	        "  --hooks=pads   the compiler's own code with a 5-byte nop before each access that\n"
	        "                 other threads may see (default); nothing changes until vtb runs it\n"
	        "  --hooks=tsan   -fsanitize=thread, for clang also -shared-libsan\n\n"
	        "Both add -g unless a -g option is given.\n",
	        name);
	return code;
}

/* Options of ours in front of the compiler; *ret is where it stands. False: not understood. */
static bool read_options(char **argv, size_t *ret, enum vtb_compile_hooks *hooks)
{
	size_t i = 1;

	for (; argv[i] && !strncmp(argv[i], "--hooks=", 8); i++) {
		if (!strcmp(argv[i] + 8, "tsan"))
			*hooks = VTB_COMPILE_TSAN;
		else if (!strcmp(argv[i] + 8, "pads"))
			*hooks = VTB_COMPILE_PADS;
		else
			return false;
	}
	*ret = i;
	return true;
}

int main(int argc, char **argv)
{
	enum vtb_compile_hooks hooks = VTB_COMPILE_PADS;
	struct vtb_compile_step step;
	struct vtb_error err = { 0 };
	char line[1200];
	size_t at;
	int code;

	vtb_cli_init(argv[0]);
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "--usage")))
		return usage(stdout, argv[0], VTB_EXIT_GOOD);
	if (argc >= 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("%s %s\n", argv[0], VTB_VERSION);
		return VTB_EXIT_GOOD;
	}
	if (!read_options(argv, &at, &hooks) || !argv[at])
		return usage(stderr, argv[0], VTB_EXIT_USAGE);
	if (argv[at][0] == '-') {
		vtb_cli_error("the first argument is the compiler, as in `vtb cc gcc -c x.c`; \"%s\" is an option",
		              argv[at]);
		return VTB_EXIT_USAGE;
	}
	vtb_compile_step_of(argv + at + 1, &step);
	if (vtb_compile_warning(&step, hooks))
		vtb_cli_error("%s", vtb_compile_warning(&step, hooks));
	code = vtb_compile_exec(argv + at, hooks, &err);
	if (code == NOT_THERE && !strchr(argv[at], '/'))
		vtb_cli_error("there is no compiler \"%s\" in PATH; the first argument is the compiler, "
		              "as in `vtb cc gcc -c x.c`",
		              argv[at]);
	else
		vtb_cli_error("%s", vtb_error_print(&err, line, sizeof(line)));
	return code;
}
