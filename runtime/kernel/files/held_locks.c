/* SPDX-License-Identifier: BSD-2-Clause */
/* What only the kernel knows of a descriptor: which locks it has of its file, and what an epoll looks at. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "syscalls.h"

#define TEXT_MAX 4096

/* /proc/self/fdinfo/FD, as far as there is room. */
static long read_about(int fd, char *to, long room)
{
	char path[32] = "/proc/self/fdinfo/", digits[12];
	size_t n = sizeof(digits), at = sizeof("/proc/self/fdinfo/") - 1;
	long from, r;

	do {
		digits[--n] = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd);
	memcpy(path + at, digits + n, sizeof(digits) - n);
	from = sys3(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0);
	if (from < 0)
		return from;
	r = sys3(SYS_read, (int)from, (long)to, room);
	sys3(SYS_close, (int)from, 0, 0);
	return r;
}

static bool says(const char *text, long size, const char *word)
{
	const long n = (long)strlen(word);

	for (long i = 0; i + n <= size; i++)
		if (memcmp(text + i, word, (size_t)n) == 0)
			return true;
	return false;
}

unsigned vtb_locks_held(int fd)
{
	char text[TEXT_MAX];
	struct stat st;
	long size = -1;

	if (fd >= 0 && sys3(SYS_fstat, fd, (long)&st, 0) == 0 && S_ISREG(st.st_mode))
		size = read_about(fd, text, TEXT_MAX);
	return (says(text, size, "FLOCK ") ? VTB_HELD_FLOCK : 0u) |
	       (says(text, size, "OFDLCK ") ? VTB_HELD_RANGES : 0u);
}

/* "ino:2f1 sdev:", as the kernel writes it. */
static const char *inode_words(uint64_t inode, char *buf, size_t size)
{
	static const char before[] = "ino:", after[] = " sdev:";
	char digits[16];
	size_t n = sizeof(digits);

	do {
		digits[--n] = "0123456789abcdef"[inode % 16];
		inode /= 16;
	} while (inode);
	memset(buf, 0, size);
	memcpy(buf, before, sizeof(before) - 1);
	memcpy(buf + sizeof(before) - 1, digits + n, sizeof(digits) - n);
	memcpy(buf + sizeof(before) - 1 + sizeof(digits) - n, after, sizeof(after));
	return buf;
}

/* The numbers there are those of when they were added, the inodes are right. Of an epoll within another nothing is
 * known. */
bool vtb_epoll_may_look_at(int epoll, int fd)
{
	char text[TEXT_MAX], words[40];
	struct stat st, other;
	long size;

	if (sys3(SYS_fstat, fd, (long)&st, 0) < 0)
		return true;
	for (int i = vtb_io_next(-1, &other); i < INT_MAX; i = vtb_io_next(i, &other))
		if (i != epoll && !(other.st_mode & S_IFMT) && says(text, read_about(i, text, TEXT_MAX), "tfd:"))
			return true;
	size = read_about(epoll, text, TEXT_MAX);
	return size < 0 || size == TEXT_MAX || says(text, size, inode_words(st.st_ino, words, sizeof(words)));
}
