/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The assembler that a compiler runs when `vtb cc` has put the directory of this program in front (-B): put pads into
 * the input, then run the assembler that would have run. Its arguments stay as they are, but for the input file. */
#include "vtb/assemble.h"
#include "vtb/cli.h"

int main(int argc, char **argv)
{
	struct vtb_error err = { 0 };
	char line[1200];
	int code;

	(void)argc;
	vtb_cli_init("vtb cc: as");
	code = vtb_assemble(argv, &err);
	if (err.code)
		vtb_cli_error("%s", vtb_error_print(&err, line, sizeof(line)));
	return code;
}
