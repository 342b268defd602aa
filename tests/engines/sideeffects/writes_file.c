/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends to a file that it makes: a run that is not undone finds what an earlier one has written. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"

static char path[64];

static void first(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/vtb-effect-%d", (int)getppid());
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || write(fd, "line\n", 5) != 5)
		abort();
	close(fd);
}

static void second(void)
{
}

static int good(void)
{
	struct stat st;
	const int r = stat(path, &st) == 0 && st.st_size == 5;

	unlink(path);
	return r;
}
