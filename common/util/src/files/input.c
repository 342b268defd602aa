/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

static int check(const struct stat *st, const char *path, uint64_t max_bytes, struct vtb_error *err)
{
	if (!S_ISREG(st->st_mode))
		return vtb_error_set(err, S_ISDIR(st->st_mode) ? -EISDIR : -VTB_E_FORMAT, path, 0,
		                     "found %s, expected a regular file", kind_of(st->st_mode));
	if ((uint64_t)st->st_size > max_bytes)
		return vtb_error_set(err, -VTB_E_LIMIT, path, max_bytes,
		                     "file is larger than the limit of %" PRIu64 " bytes", max_bytes);
	return 0;
}

int vtb_input_open(const char *path, uint64_t max_bytes, uint64_t *ret_size, struct vtb_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0)
		return vtb_error_set(err, -errno, path, 0, "cannot be opened: %s", strerror(errno));
	r = fstat(fd, &st) < 0 ? vtb_error_set(err, -errno, path, 0, "cannot be read: %s", strerror(errno))
	                       : check(&st, path, max_bytes ? max_bytes : VTB_INPUT_BYTES_MAX, err);
	if (r < 0) {
		close(fd);
		return r;
	}
	if (ret_size)
		*ret_size = (uint64_t)st.st_size;
	return fd;
}

FILE *vtb_input_stream(const char *path)
{
	uint64_t size;
	const int fd = vtb_input_open(path, 0, &size, NULL);
	FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;

	if (!file && fd >= 0)
		close(fd);
	if (fd < 0)
		errno = fd == -VTB_E_FORMAT || fd == -VTB_E_LIMIT ? EINVAL : -fd;
	return file;
}

int vtb_input_map(const char *path, struct vtb_input *ret, struct vtb_error *err)
{
	uint64_t size;
	const int fd = vtb_input_open(path, 0, &size, err);
	void *data = NULL;

	*ret = (struct vtb_input){ 0 };
	if (fd < 0)
		return fd;
	if (size)
		data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return vtb_error_set(err, -errno, path, 0, "cannot be mapped: %s", strerror(errno));
	*ret = (struct vtb_input){ data, (size_t)size };
	return 0;
}

void vtb_input_unmap(struct vtb_input *input)
{
	if (input->data)
		munmap((void *)(uintptr_t)input->data, input->size);
	*input = (struct vtb_input){ 0 };
}
