/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a program that lists its tests, and adding what it says to the list. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework.h"
#include "vtb/argv.h"
#include "vtb/array.h"
#include "vtb/json.h"
#include "vtb/stop.h"

#define OUTPUT_MAX (16u << 20)
#define SECONDS_MAX 30.0

extern char **environ;

/* -ETIMEDOUT: it has written nothing more, and has not ended. */
static int read_all(int fd, char **ret)
{
	const double end = vtb_stop_clock() + SECONDS_MAX;
	char *text = NULL;
	size_t size = 0, cap = 0;
	ssize_t n = 0;
	int r = 0;

	do {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		const double left = end - vtb_stop_clock();

		size += (size_t)n;
		r = size > OUTPUT_MAX ? -E2BIG : vtb_array_reserve((void **)&text, &cap, size + 4097, 1);
		if (r >= 0 && (left <= 0 || poll(&ready, 1, (int)(left * 1000) + 1) == 0))
			r = -ETIMEDOUT;
		n = r >= 0 ? read(fd, text + size, 4096) : 0;
	} while (n > 0);
	if (r < 0) {
		free(text);
		return r;
	}
	text[size] = '\0';
	*ret = text;
	return 0;
}

static int spawn(char *const *argv, const char *cwd, int to, int other, pid_t *ret, int fd)
{
	posix_spawn_file_actions_t actions;
	int r = posix_spawn_file_actions_init(&actions);

	if (r == 0 && cwd)
		r = posix_spawn_file_actions_addchdir_np(&actions, cwd);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, fd, to);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, other, "/dev/null", O_WRONLY, 0);
	if (r == 0)
		r = posix_spawnp(ret, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

int vtb_lister_output(char *const *argv, const char *cwd, enum vtb_lister_stream stream, char **ret)
{
	const int to = stream == VTB_LISTER_OUT ? STDOUT_FILENO : STDERR_FILENO,
	          other = stream == VTB_LISTER_OUT ? STDERR_FILENO : STDOUT_FILENO;
	int ends[2], status, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r = spawn(argv, cwd, to, other, &pid, ends[1]);
	close(ends[1]);
	if (r == 0) {
		r = read_all(ends[0], ret);
		if (r < 0)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return r;
}

int vtb_lister_ask(const struct vtb_listing *l, const char *option, enum vtb_lister_stream stream, char **ret)
{
	char **argv = vtb_argv_with(l->argv, option);
	const int r = argv ? vtb_lister_output(argv, l->cwd, stream, ret) : -ENOMEM;

	vtb_argv_free(argv);
	return r;
}

/* ---- adding */

/* Without an expression every test is; one that makes no sense was refused before (test_list.c). */
static bool chosen(const struct vtb_test_choice *choice, const char *name)
{
	regex_t regex;
	bool is;

	if (!choice || !choice->names)
		return true;
	if (regcomp(&regex, choice->names, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	is = regexec(&regex, name, 0, NULL, 0) == 0;
	regfree(&regex);
	return is;
}

int vtb_lister_add_command(const struct vtb_listing *l, const char *name, char **argv, const char *cwd)
{
	struct vtb_test test = { .name = strdup(name), .argv = argv, .cwd = cwd ? strdup(cwd) : NULL };
	int r = 1;

	if (!test.name || !argv || (cwd && !test.cwd) || l->list->n_tests >= VTB_TESTS_LIMIT)
		r = -ENOMEM;
	else if (chosen(l->choice, name))
		r = vtb_array_room(l->list, tests);
	if (r == 0) {
		l->list->tests[l->list->n_tests++] = test;
		return 0;
	}
	free(test.name);
	free(test.cwd);
	vtb_argv_free(argv);
	return r < 0 ? r : 0;
}

int vtb_lister_add(const struct vtb_listing *l, const char *name, const char *const *more)
{
	char **argv = vtb_argv_copy(l->argv);

	for (; argv && *more; more++) {
		char **longer = vtb_argv_with(argv, *more);

		vtb_argv_free(argv);
		argv = longer;
	}
	return vtb_lister_add_command(l, name, argv, NULL);
}

int vtb_lister_add_whole(const struct vtb_listing *l, const char *variable)
{
	const char *slash = strrchr(l->argv[0], '/'), *name = slash ? slash + 1 : l->argv[0];
	char **argv;
	size_t n = 0;

	if (!variable)
		return vtb_lister_add_command(l, name, vtb_argv_with(l->argv, NULL), NULL);
	while (l->argv[n])
		n++;
	argv = calloc(n + 3, sizeof(*argv));
	if (argv) {
		argv[0] = strdup("env");
		argv[1] = strdup(variable);
	}
	for (size_t i = 0; argv && i < n; i++)
		argv[i + 2] = strdup(l->argv[i]);
	return vtb_lister_add_command(l, name, argv, NULL);
}

char **vtb_lister_command(struct vtb_json *doc, const struct vtb_json_node *strings, char *const *variables)
{
	const size_t n = vtb_json_count(strings);
	char **argv;
	size_t k = 0;

	while (variables && variables[k])
		k++;
	argv = n ? calloc(k + n + 1, sizeof(*argv)) : NULL;
	for (size_t i = 0; argv && i < k + n; i++) {
		argv[i] = strdup(i < k ? variables[i] : vtb_json_item_string(doc, strings, i - k));
		if (!argv[i]) {
			vtb_argv_free(argv);
			return NULL;
		}
	}
	return argv;
}

char *vtb_lister_escape(const char *name, const char *special, char *to, size_t size)
{
	size_t n = 0;

	for (; *name && n + 2 < size; name++) {
		if (strchr(special, *name))
			to[n++] = '\\';
		to[n++] = *name;
	}
	to[n] = '\0';
	return to;
}
