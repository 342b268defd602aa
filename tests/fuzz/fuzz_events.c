/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events file beside a trace. The first two bytes say how many events the trace claims; the fingerprint is never
 * right. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../common/src/format_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_events_ref ref = { .separate = true };
	struct vtb_error err = { 0 };
	struct vtb_trace trace;
	uint16_t count;
	int fd;

	if (size < sizeof(count))
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data + sizeof(count), size - sizeof(count)) < 0)
		return 0;
	memcpy(&count, data, sizeof(count));
	ref.count = count;
	lseek(fd, 0, SEEK_SET);
	snprintf(ref.file, sizeof(ref.file), "%d", fd);
	vtb_trace_init(&trace);
	vtb_symtab_thread_by_path(&trace.tab, "0");
	VTB_ASSERT(vtb_events_read("/proc/self/fd/trace.json", &ref, &trace, NULL, NULL, &err) < 0 || !ref.xxh3);
	for (size_t i = 0; i < trace.n_events && err.code != -VTB_E_SCHEMA; i++)
		VTB_ASSERT(!vtb_event_complaint(&trace, &trace.events[i]));
	vtb_trace_fini(&trace);
	close(fd);
	return 0;
}
