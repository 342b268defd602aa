/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.json: any text is refused with a place, or gives a trace whose every event names things that are there. */
#include "../../common/src/format_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc = NULL;
	struct vtb_trace trace;
	int r = vtb_json_parse("fuzz", (const char *)data, size, &doc, &err);

	if (r >= 0) {
		r = vtb_files_read_trace(doc, vtb_json_root(doc), "/nonexistent/fuzz", &trace, &err);
		vtb_json_free(doc);
		for (size_t i = 0; r >= 0 && i < trace.n_events; i++)
			VTB_ASSERT(!vtb_event_complaint(&trace, &trace.events[i]));
		if (r >= 0)
			vtb_trace_fini(&trace);
	}
	VTB_ASSERT(r >= 0 || (err.code == r && err.text[0]));
	return 0;
}
