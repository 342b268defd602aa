/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot reads from one temporary file and writes into another, both already unlinked: no pipe can fill up, nothing stays
 * behind. What it says on stderr is shown only if it fails.
 */
#include "run_dot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define LIMIT_SEC 10 /* a picture is made in a tenth of a second: it will not come to an end */
#define LOOK_USEC 2000
#define STOPPED 124 /* as timeout(1) says it */

/* Its status, STOPPED if it was stopped. Whoever waits for the answer is not to wait for the picture for ever. */
static int wait_for(pid_t pid)
{
	int status;
	pid_t r;

	for (unsigned looks = 0; (r = waitpid(pid, &status, WNOHANG)) <= 0; looks++) {
		if (r < 0 && errno != EINTR)
			return -errno;
		if (looks == LIMIT_SEC * (1000000 / LOOK_USEC)) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return STOPPED;
		}
		usleep(LOOK_USEC);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Exit status of dot, or a negative errno if it could not be started. */
static int spawn_dot(FILE *in, FILE *out, FILE *messages)
{
	char *const argv[] = { (char[]){ "dot" }, (char[]){ "-Tsvg" }, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return -r;
	posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(messages), STDERR_FILENO);
	r = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return r ? -r : wait_for(pid);
}

static int read_all(FILE *f, char **ret, size_t *ret_size)
{
	char *data;
	long size;

	if (fseek(f, 0, SEEK_END) < 0 || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) < 0)
		return -errno;
	data = malloc((size_t)size + 1);
	if (!data)
		return -ENOMEM;
	*ret_size = fread(data, 1, (size_t)size, f);
	data[*ret_size] = '\0';
	*ret = data;
	return 0;
}

static int complain(int status, FILE *messages, struct vtb_error *err)
{
	char line[256] = "";

	if (status < 0 || status == 127)
		return vtb_error_set(
		    err, -VTB_E_TOOL, NULL, 0,
		    "the program dot was not found; install Graphviz (Debian: apt install graphviz) or write --dot");
	if (status == STOPPED)
		return vtb_error_set(err, -VTB_E_TOOL, NULL, 0, "dot was stopped after %u s", LIMIT_SEC);
	rewind(messages);
	if (!fgets(line, sizeof(line), messages))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return vtb_error_set(err, -VTB_E_TOOL, NULL, 0, "dot failed with status %d: %s", status, line);
}

int run_dot_svg(const char *dot, size_t size, char **ret, size_t *ret_size, struct vtb_error *err)
{
	FILE *in = tmpfile(), *out = tmpfile(), *messages = tmpfile();
	int r = 0;

	if (!in || !out || !messages)
		r = vtb_error_set(err, -errno, NULL, 0, "cannot make a temporary file");
	else if (fwrite(dot, 1, size, in) != size || fflush(in) || fseek(in, 0, SEEK_SET) < 0)
		r = vtb_error_set(err, -EIO, NULL, 0, "cannot write a temporary file");
	if (r >= 0) {
		const int status = spawn_dot(in, out, messages);

		r = status ? complain(status, messages, err) : read_all(out, ret, ret_size);
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	if (messages)
		fclose(messages);
	return r;
}
