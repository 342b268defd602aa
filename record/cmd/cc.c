/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtb-cc, vtb-c++: put in front of a compiler's command line. `vtb cc gcc -o prog prog.c` */
#include "vtb/cli.h"
#include "vtb/compile.h"

#include <stdio.h>
#include <string.h>

static int usage(FILE *to, const char *name, int code)
{
	fprintf(to, "Usage: %s COMPILER [ARGUMENT...]\n"
		    "Run COMPILER so that vtb sees the memory accesses of the program it builds: adds\n"
		    "-fsanitize=thread, -g, and for clang -shared-libsan when it links.\n", name);
	return code;
}

int main(int argc, char **argv)
{
	struct vtb_compile_step step;
	struct vtb_error err = {0};
	char line[1200];
	int code;

	vtb_cli_init(argv[0]);
	if (argc < 2)
		return usage(stderr, argv[0], VTB_EXIT_USAGE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "--usage"))
		return usage(stdout, argv[0], VTB_EXIT_GOOD);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("%s %s\n", argv[0], VTB_VERSION);
		return VTB_EXIT_GOOD;
	}
	if (argv[1][0] == '-') {
		vtb_cli_error("the first argument is the compiler, as in `vtb cc gcc -c x.c`; \"%s\" is an option", argv[1]);
		return VTB_EXIT_USAGE;
	}
	vtb_compile_step_of(argv + 2, &step);
	if (vtb_compile_warning(&step))
		vtb_cli_error("%s", vtb_compile_warning(&step));
	code = vtb_compile_exec(argv + 1, &err);
	vtb_cli_error("%s", vtb_error_print(&err, line, sizeof(line)));
	return code;
}
