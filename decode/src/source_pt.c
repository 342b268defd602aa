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

bool source_pt_is_perf(const char *bytes, size_t size)
{
	return size >= 8 && (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8));
}

static bool begins_as_perf(const char *path)
{
	char magic[8] = "";
	FILE *file = vtb_input_stream(path);
	const bool is = file && source_pt_is_perf(magic, fread(magic, 1, 8, file));

	if (file)
		fclose(file);
	return is;
}

bool source_perf_matches(const char *path)
{
	char inside[4096]; /* a directory of perf record --threads */

	return begins_as_perf(path) ||
	       (snprintf(inside, sizeof(inside), "%s/data", path) < (int)sizeof(inside) && begins_as_perf(inside));
}

bool source_joined_matches(const char *path)
{
	return source_pt_has(path, "process.vtb") && source_pt_has(path, "perf.data");
}
