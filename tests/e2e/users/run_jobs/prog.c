// SPDX-License-Identifier: GPL-2.0-or-later
// A runner of jobs as make has one: threads take commands from a list, fork, execute and wait for them.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct job {
	const char *script;
	int expected, status;
	char said[32];
};

static struct job jobs[] = {
	{ .script = "exit 0", .expected = 0 },
	{ .script = "echo made; exit 3", .expected = 3 },
	{ .script = "exec false", .expected = 1 },
};
#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t next_job;
static int failed;

static pid_t spawn(struct job *job, int out)
{
	char *const argv[] = { "sh", "-c", (char *)job->script, NULL };
	posix_spawn_file_actions_t acts;
	pid_t child;

	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_adddup2(&acts, out, STDOUT_FILENO);
	if (posix_spawn(&child, "/bin/sh", &acts, NULL, argv, environ))
		child = -1;
	posix_spawn_file_actions_destroy(&acts);
	return child;
}

static pid_t fork_exec(struct job *job, int out)
{
	pid_t child = fork();

	if (child)
		return child;
	dup2(out, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", job->script, (char *)NULL);
	_exit(127);
}

static void run(struct job *job, int by_fork)
{
	int ends[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t child;

	assert(pipe2(ends, O_CLOEXEC) == 0);
	child = by_fork ? fork_exec(job, ends[1]) : spawn(job, ends[1]);
	assert(child > 0);
	close(ends[1]);
	while ((got = read(ends[0], job->said + n, sizeof(job->said) - 1 - n)) > 0)
		n += (size_t)got;
	close(ends[0]);
	while (waitpid(child, &status, 0) < 0)
		assert(errno == EINTR);
	assert(WIFEXITED(status));
	job->status = WEXITSTATUS(status);
}

static void *work(void *arg)
{
	for (;;) {
		struct job *job = NULL;

		pthread_mutex_lock(&lock);
		if (next_job < JOBS)
			job = &jobs[next_job++];
		pthread_mutex_unlock(&lock);
		if (!job)
			return NULL;
		run(job, arg != NULL);
		pthread_mutex_lock(&lock);
		failed += job->status != 0;
		pthread_mutex_unlock(&lock);
	}
}

int main(void)
{
	pthread_t forks, spawns;

	assert(pthread_create(&forks, NULL, work, &jobs) == 0);
	assert(pthread_create(&spawns, NULL, work, NULL) == 0);
	pthread_join(forks, NULL);
	pthread_join(spawns, NULL);
	for (size_t i = 0; i < JOBS; i++)
		assert(jobs[i].status == jobs[i].expected);
	assert(failed == 2 && strcmp(jobs[1].said, "made\n") == 0);
	return 0;
}
