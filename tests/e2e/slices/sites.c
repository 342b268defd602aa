/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints for each access of a program where it is and what it can influence: address, kinds; both in hexadecimal. */
#include <inttypes.h>
#include <stdio.h>

#include "vtb/slice.h"

int main(int argc, char **argv)
{
	const struct vtb_slice_opts opts = { .cache = "", .check_functions = argc > 2 ? argv[2] : NULL };
	struct vtb_error err = { 0 };
	struct vtb_slice *s;
	uint64_t addr;
	uint32_t kinds;

	if (argc < 2 || vtb_slice_open(argv[1], &opts, &s, &err) < 0)
		return 2;
	if (vtb_slice_doubt(s))
		printf("doubt %s\n", vtb_slice_doubt(s));
	for (size_t i = 0; vtb_slice_access(s, i, &addr, &kinds); i++)
		printf("%" PRIx64 " %" PRIx32 "\n", addr, kinds);
	vtb_slice_free(s);
	return 0;
}
