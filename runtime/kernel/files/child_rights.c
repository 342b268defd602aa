/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc says of a child process that is about to change files: whether it may what the server may. */
#include <fcntl.h>
#include <string.h>

#include "base.h"
#include "child_files.h"

#define STATUS_BYTES 4096u

static char *put_text(char *to, const char *part)
{
	while (*part)
		*to++ = *part++;
	*to = 0;
	return to;
}

static char *put_number(char *to, uint32_t n)
{
	char digits[12], *at = digits + sizeof(digits);

	*--at = 0;
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	return put_text(to, at);
}

void vtb_child_proc_name(char *to, uint32_t pid, const char *what, int fd)
{
	to = put_text(put_number(put_text(to, "/proc/"), pid), what);
	if (fd >= 0)
		put_number(to, (uint32_t)fd);
}

static const char *line_of(const char *status, const char *word)
{
	const size_t n = strlen(word);

	for (; status; status = strchr(status, '\n'), status += status != NULL)
		if (!strncmp(status, word, n))
			return status + n;
	return NULL;
}

static bool read_status(uint32_t pid, char *to)
{
	char name[40];
	long fd, n;

	vtb_child_proc_name(name, pid, "/status", -1);
	fd = sys6(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	n = fd < 0 ? -1 : sys3(SYS_read, fd, (long)to, STATUS_BYTES - 1);
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool same_line(const char *a, const char *b, const char *word)
{
	a = line_of(a, word);
	b = line_of(b, word);
	if (!a || !b)
		return false;
	for (; *a == *b && *a != '\n' && *a; a++, b++)
		;
	return *a == *b;
}

bool vtb_child_is_like_us(uint32_t pid, unsigned *ret_umask)
{
	static char its[STATUS_BYTES], ours[STATUS_BYTES];
	const char *digit;

	if (!read_status(pid, its) || !read_status((uint32_t)sys3(SYS_getpid, 0, 0, 0), ours) ||
	    !same_line(its, ours, "Uid:") || !same_line(its, ours, "Gid:") || !same_line(its, ours, "Groups:") ||
	    !same_line(its, ours, "CapEff:"))
		return false;
	digit = line_of(its, "Umask:\t");
	for (*ret_umask = 0; digit && *digit >= '0' && *digit <= '7'; digit++)
		*ret_umask = *ret_umask * 8 + (unsigned)(*digit - '0');
	return digit;
}
