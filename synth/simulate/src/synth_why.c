/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a place of a program matters: of the program itself, or of those that a trace is of. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "vtb/elf_file.h"
#include "vtb/name_list.h"
#include "vtb/slice_why.h"
#include "vtb/synth.h"

static bool is_program(const char *path)
{
	struct vtb_elf *elf = NULL;
	const bool is = vtb_elf_open(path, &elf, NULL) >= 0;

	vtb_elf_close(elf);
	return is;
}

static int64_t of_program(const char *path, const char *place, const char *check_functions, FILE *out,
                          struct vtb_error *err)
{
	const struct vtb_slice_opts opts = { .check_functions = check_functions };
	const char *names = check_functions, *item;
	size_t length;

	while (names && (item = vtb_name_list_next(&names, &length)) != NULL)
		if (!vtb_slice_has_function(path, item, length))
			return vtb_error_set(err, -EINVAL, path, 0, "the program has no function \"%.*s\"", (int)length,
			                     item);
	return vtb_slice_why(path, place, &opts, out, err);
}

/* Modules that are programs come first in a trace; libraries have nothing to tell (vtb_slice_doubt). */
static int64_t of_trace(const char *path, const char *place, const char *check_functions, FILE *out,
                        struct vtb_error *err)
{
	struct vtb_trace trace;
	int64_t found = vtb_trace_read(path, &trace, err);

	if (found < 0)
		return found;
	found = -ENOENT;
	for (size_t i = 0; i < trace.tab.n_modules && found == -ENOENT; i++)
		if (is_program(trace.tab.modules[i].path))
			found = of_program(trace.tab.modules[i].path, place, check_functions, out, err);
	vtb_trace_fini(&trace);
	if (found == -ENOENT)
		vtb_error_set(err, -ENOENT, path, 0, "its program is not there any more");
	return found;
}

int vtb_synth_why(const char *input, const char *place, const char *check_functions, FILE *out, struct vtb_error *err)
{
	const int64_t found = is_program(input) ? of_program(input, place, check_functions, out, err)
	                                        : of_trace(input, place, check_functions, out, err);

	if (found < 0)
		return (int)found;
	return found ? 0 : vtb_error_set(err, -EINVAL, input, 0, "no access lies at %s", place);
}
