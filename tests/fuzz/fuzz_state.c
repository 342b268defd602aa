/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.json, through the file system as `vtb resume` reads it. What was read is written, and read back as the same. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const struct vtb_state_file *s, struct vtb_error *err)
{
	struct vtb_state_file read;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/vtb-fuzz-state-%d.json", (int)getpid());
	VTB_ASSERT(vtb_state_write(s, path, err) >= 0);
	VTB_ASSERT(vtb_state_read(path, &read, err) >= 0);
	unlink(path);
	VTB_ASSERT(vtb_state_identity(&read) == vtb_state_identity(s) && strcmp(read.cwd, s->cwd) == 0);
	VTB_ASSERT(vtb_state_compare(&read, s, path, err) >= 0);
	vtb_state_fini(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct vtb_error err = { 0 };
	struct vtb_state_file state;
	char path[32];
	int r;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = vtb_state_read(path, &state, &err);
	if (r >= 0) {
		again(&state, &err);
		vtb_state_fini(&state);
	}
	VTB_ASSERT(r >= 0 || (err.code == r && err.text[0]));
	close(fd);
	return 0;
}
