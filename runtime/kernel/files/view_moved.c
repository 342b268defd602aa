/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_moved.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "base.h"

#define LIST_BYTES 1024

static bool is_same(int fd, const char *name, long how, const struct stat *as)
{
	struct stat st;

	return sys6(SYS_newfstatat, fd, (long)name, (long)&st, how, 0, 0) == 0 && st.st_dev == as->st_dev &&
	       st.st_ino == as->st_ino;
}

/* Under the same number; what has been listed of it is listed again. */
static void lead_to(int fd, int now)
{
	const long flags = sys3(SYS_fcntl, fd, F_GETFL, 0), kept = sys3(SYS_fcntl, fd, F_GETFD, 0);
	const long other = sys6(SYS_openat, now, (long)".", flags | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);

	if (other < 0)
		return;
	sys3(SYS_dup3, other, fd, kept & FD_CLOEXEC ? O_CLOEXEC : 0);
	sys3(SYS_close, other, 0, 0);
}

/* -1: not a number. */
static int number_of(const char *name)
{
	int n = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		n = 10 * n + (*name - '0');
	return *name ? -1 : n;
}

void vtb_view_moved(const struct stat *was, int now)
{
	char list[LIST_BYTES] __attribute__((aligned(8)));
	const long dir = sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	long n;

	if (is_same(AT_FDCWD, ".", 0, was))
		sys3(SYS_fchdir, now, 0, 0);
	while (dir >= 0 && (n = sys3(SYS_getdents64, dir, (long)list, sizeof(list))) > 0)
		for (long at = 0; at < n; at += *(const unsigned short *)(list + at + 16)) {
			const int fd = number_of(list + at + 19);

			if (fd >= 0 && fd != now && fd != dir && is_same(fd, "", AT_EMPTY_PATH, was))
				lead_to(fd, now);
		}
	if (dir >= 0)
		sys3(SYS_close, dir, 0, 0);
}
