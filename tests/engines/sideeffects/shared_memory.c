/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared mapping of a file: its pages are not the process's own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "common.h"

static int *cell;

static void first(void)
{
	const int fd = memfd_create("effect", 0);

	if (fd < 0 || ftruncate(fd, 4096))
		abort();
	cell = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	*cell += 1;
}

static void second(void)
{
}

static int good(void)
{
	return *cell == 1;
}
