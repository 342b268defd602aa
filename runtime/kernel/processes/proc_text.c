/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc_text.h"

#include <fcntl.h>

#include "base.h"

char *vtb_proc_put(char *to, const char *part)
{
	while (*part)
		*to++ = *part++;
	*to = 0;
	return to;
}

char *vtb_proc_put_number(char *to, uint64_t n)
{
	char digits[24];
	size_t i = sizeof(digits);

	digits[--i] = 0;
	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	return vtb_proc_put(to, &digits[i]);
}

char *vtb_proc_task(char *to, pid_t pid, const char *tid)
{
	to = vtb_proc_put_number(vtb_proc_put(to, "/proc/"), (uint64_t)pid);
	return vtb_proc_put(vtb_proc_put(to, "/task/"), tid);
}

const char *vtb_proc_read(const char *path)
{
	static char text[VTB_PROC_BYTES];
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long n;

	if (fd < 0)
		return NULL;
	n = sys3(SYS_read, fd, (long)text, sizeof(text) - 1);
	sys3(SYS_close, fd, 0, 0);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? text : NULL;
}

uint64_t vtb_proc_number(const char **at)
{
	uint64_t n = 0;

	while (**at == ' ')
		++*at;
	for (; **at >= '0' && **at <= '9'; ++*at)
		n = n * 10 + (uint64_t)(**at - '0');
	return n;
}
