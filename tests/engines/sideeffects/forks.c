/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process that ends with a status. */
#include <sys/wait.h>

#include "common.h"

static int status;

static void first(void)
{
	const pid_t pid = fork();

	if (pid == 0)
		_exit(7);
	if (waitpid(pid, &status, 0) != pid)
		abort();
}

static void second(void)
{
}

static int good(void)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}
