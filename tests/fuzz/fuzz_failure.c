/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.json, through the file system as a command reads it. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vtb/failure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_error err = { 0 };
	struct vtb_failure failure;
	char path[32];
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	int r;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = vtb_failure_read(path, &failure, &err);
	if (r >= 0) {
		VTB_ASSERT(failure.schedule.n_schedules == 1);
		vtb_failure_fini(&failure);
	}
	VTB_ASSERT(r >= 0 || (err.code == r && err.text[0]));
	close(fd);
	return 0;
}
