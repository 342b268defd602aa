/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcp_tools.h"

extern char **environ;

/* All is read, so that the command does not wait for us; the first part is kept. */
static char *read_bounded(int fd)
{
	char *text = malloc(VTB_MCP_TEXT_MAX + 200), rest[4096];
	size_t n = 0, more = 0;
	ssize_t got;

	if (!text)
		return NULL;
	while ((got = n < VTB_MCP_TEXT_MAX ? read(fd, text + n, VTB_MCP_TEXT_MAX - n) : read(fd, rest, sizeof(rest))) >
	           0 ||
	       (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		if (n < VTB_MCP_TEXT_MAX)
			n += (size_t)got;
		else
			more += (size_t)got;
	}
	text[n] = '\0';
	if (more)
		snprintf(text + n, 200, "\n(%zu bytes more)\n", more);
	return text;
}

int vtb_mcp_run(const char *bin, char **argv, char **ret_text, int *ret_status)
{
	posix_spawn_file_actions_t actions;
	char path[4096];
	int ends[2], status = 0, r;
	pid_t pid;

	if (snprintf(path, sizeof(path), "%s/%s", bin, argv[0]) >= (int)sizeof(path) || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r = posix_spawn_file_actions_init(&actions);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	if (r == 0)
		r = posix_spawn(&pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*ret_text = r == 0 ? read_bounded(ends[0]) : NULL;
	close(ends[0]);
	if (r)
		return -r;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return *ret_text ? 0 : -ENOMEM;
}
