/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source_pt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vtb/input.h"

bool source_pt_has(const char *dir, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) && access(path, F_OK) == 0;
}

bool source_pt_matches(const char *path)
{
	return source_pt_has(path, "pt.json");
}

bool source_perf_matches(const char *path)
{
	char magic[8] = "";
	FILE *file = vtb_input_stream(path);
	const bool is =
	    file && fread(magic, 1, 8, file) == 8 && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));

	if (file)
		fclose(file);
	return is;
}

bool source_joined_matches(const char *path)
{
	return source_pt_has(path, "process.vtb") && source_pt_has(path, "perf.data");
}
