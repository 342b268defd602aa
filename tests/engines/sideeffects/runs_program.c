/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process that becomes another program. */
#include <sys/wait.h>

#include "common.h"

static int status;

static void first(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
		_exit(1);
	}
	if (waitpid(pid, &status, 0) != pid)
		abort();
}

static void second(void)
{
}

static int good(void)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 5;
}
