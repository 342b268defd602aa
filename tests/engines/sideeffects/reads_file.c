/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens and reads a file: can be undone, so it stays with the fastest engine. */
#include <fcntl.h>

#include "common.h"

static char text[16];
static long n;

static void first(void)
{
	const int fd = open("/proc/self/comm", O_RDONLY);

	n = read(fd, text, sizeof(text));
}

static void second(void)
{
}

static int good(void)
{
	return n > 0 && text[n - 1] == '\n';
}
