/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program_input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MSEC 1000
#define PART 65536

static bool comes_once(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static int put(int to, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t done = write(to, bytes, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* 1: up to its end; 0: nothing comes any more, nor does the end. */
static int copy(int to)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char part[PART];
	size_t all = 0;

	for (;;) {
		ssize_t n = poll(&in, 1, PATIENCE_MSEC);
		int r;

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return 0;
		n = n < 0 ? -1 : read(STDIN_FILENO, part, sizeof(part));
		if (n == 0)
			return 1;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		all += n > 0 ? (size_t)n : 0;
		r = all > VTB_PROGRAM_INPUT_MAX ? -E2BIG : put(to, part, n > 0 ? (size_t)n : 0);
		if (r < 0)
			return r;
	}
}

static int replace(int with)
{
	fcntl(with, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
	if (lseek(with, 0, SEEK_SET) < 0 || dup2(with, STDIN_FILENO) < 0)
		return -errno;
	return 0;
}

int vtb_program_input_take(struct vtb_error *err)
{
	static bool taken;
	int fd, r;

	if (taken || !comes_once())
		return 0;
	taken = true;
	fd = memfd_create("vtb-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	r = fd < 0 ? -errno : copy(fd);
	if (r > 0)
		r = replace(fd);
	if (fd >= 0)
		close(fd);
	if (r == -E2BIG)
		return vtb_error_set(err, r, NULL, 0, "standard input is longer than %u MB: give it as a file",
		                     VTB_PROGRAM_INPUT_MAX >> 20);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "standard input cannot be kept: %s", vtb_strerror(r)) : 0;
}

int vtb_program_input_open(long at)
{
	struct stat st;
	int fd = -1;

	if (at >= 0 && fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && lseek(fd, at, SEEK_SET) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}
