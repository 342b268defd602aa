/* SPDX-License-Identifier: GPL-2.0-or-later */
/* starts_timed HOW [PROGRAM]: a child process waits, and makes a file then; one thread lets it go on, another one looks
 * whether the file is there. The child is the program, or without one, this one's copy. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int ends[2], found;

static void rings(int signal)
{
	(void)signal;
}

static void waits(const char *how)
{
	static const struct itimerval soon = {.it_value = {.tv_usec = 200000}};

	signal(SIGALRM, rings);
	if (!strcmp(how, "ualarm"))
		ualarm(200000, 0);
	else
		syscall(SYS_setitimer, ITIMER_REAL, &soon, NULL);
	pause();
	close(open("made", O_CREAT | O_WRONLY, 0600));
	pause();
}

static pid_t starts(const char *how, char *program)
{
	char *words[] = {program, (char *)how, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;

	if (!program) {
		child = fork();
		if (!child)
			waits(how);
		return child;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
	if (posix_spawn(&child, program, &actions, NULL, words, environ))
		abort();
	posix_spawn_file_actions_destroy(&actions);
	return child;
}

static void *lets_go(void *arg)
{
	if (write(ends[1], "x", 1) != 1)
		abort();
	return arg;
}

static void *looks(void *arg)
{
	found = !access("made", F_OK);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	pid_t child;

	if (argc < 2 || pipe2(ends, O_CLOEXEC))
		return 2;
	child = starts(argv[1], argv[2]);
	pthread_create(&threads[0], NULL, looks, NULL);
	pthread_create(&threads[1], NULL, lets_go, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink("made");
	printf("%d\n", found);
	return 0;
}
