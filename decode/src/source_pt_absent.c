/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources with packets in a build without rooms pt and recover (-DVTB_PT=OFF). */
#include "source.h"
#include "source_pt.h"

static int refuse(const char *path, struct vtb_trace *trace, struct vtb_error *err)
{
	(void)trace;
	return vtb_error_set(err, -VTB_E_UNSUPPORTED, path, 0,
	                     "this build has no Intel PT support (it was configured with -DVTB_PT=OFF)");
}

const struct vtb_trace_source vtb_source_pt = {
	.name = "pt",
	.matches = source_pt_matches,
	.read = refuse,
};

const struct vtb_trace_source vtb_source_perf = {
	.name = "perf",
	.matches = source_perf_matches,
	.read = refuse,
};

const struct vtb_trace_source vtb_source_joined = {
	.name = "pt-runtime",
	.matches = source_joined_matches,
	.read = refuse,
};
