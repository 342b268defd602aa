/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "from_stdin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source_pt.h"
#include "vtb/input.h"

#define NAME "standard input"
#define CHUNK 65536u

static int trouble(struct vtb_error *err, const char *what)
{
	return vtb_error_set(err, -errno, NAME, 0, "%s: %s", what, strerror(errno));
}

/* Where temporary files lie; a kernel or file system without nameless files leaves memory. */
static int nameless_file(void)
{
	const char *dir = getenv("TMPDIR");
	const int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("vtb-decode", MFD_CLOEXEC);
}

/* Until the buffer is full or the input ends. */
static ssize_t read_fully(char *buf, size_t size)
{
	size_t n = 0;

	while (n < size) {
		const ssize_t got = read(STDIN_FILENO, buf + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static int write_fully(int fd, const char *buf, size_t size)
{
	while (size) {
		const ssize_t put = write(fd, buf, size);

		if (put < 0 && errno != EINTR)
			return -1;
		buf += put > 0 ? put : 0;
		size -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

static int refuse(struct vtb_error *err, ssize_t n)
{
	return vtb_error_set(err, -VTB_E_FORMAT, NAME, 0,
	                     "%s: only perf.data can come through a pipe; other recordings are directories: name one",
	                     n ? "not perf.data" : "empty");
}

static int copy(int fd, struct vtb_error *err)
{
	char buf[CHUNK];
	uint64_t total = 0;
	ssize_t n;

	do {
		n = read_fully(buf, sizeof(buf));
		if (n < 0)
			return trouble(err, "cannot be read");
		if (!total && !source_pt_is_perf(buf, (size_t)n))
			return refuse(err, n);
		if (write_fully(fd, buf, (size_t)n) < 0)
			return trouble(err, "cannot be copied to a temporary file");
		total += (uint64_t)n;
	} while (n == (ssize_t)sizeof(buf) && total <= VTB_INPUT_BYTES_MAX);
	return 0; /* who reads a larger file refuses it */
}

int decode_from_stdin(char *ret_path, size_t size, struct vtb_error *err)
{
	struct stat st;
	int fd = STDIN_FILENO, r;

	if (fstat(STDIN_FILENO, &st) < 0)
		return trouble(err, "cannot be read");
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		fd = nameless_file();
		if (fd < 0)
			return trouble(err, "cannot be copied to a temporary file");
		r = copy(fd, err);
		if (r < 0) {
			close(fd);
			return r;
		}
	}
	snprintf(ret_path, size, "/proc/self/fd/%d", fd);
	return 0;
}

void decode_name_stdin(const char *path, struct vtb_error *err)
{
	const size_t n = strlen(path);
	char text[sizeof(err->path)];

	if (!err || !n || strncmp(err->path, path, n) || (err->path[n] && err->path[n] != '/'))
		return;
	snprintf(text, sizeof(text), "%.*s%s", (int)sizeof(NAME), NAME, err->path + n);
	memcpy(err->path, text, sizeof(text));
}
