/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source.h"

#include <sys/stat.h>

#include "vtb/ingest.h"

static bool matches(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const struct vtb_trace_source vtb_source_recording = {
	.name = "recording",
	.help = "a directory written by vtb-record",
	.matches = matches,
	.read = vtb_ingest_recording,
	.read_to = vtb_ingest_recording_to,
};
