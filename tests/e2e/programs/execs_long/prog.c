/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread starts a program by execl() with thousands of words; the shell says how many it was given. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEN(x) x, x, x, x, x, x, x, x, x, x
#define THOUSAND(x) TEN(TEN(TEN(x)))

static void *start(void *arg)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		execl("/bin/sh", "sh", "-c", "test $# = 6000", "sh", THOUSAND("a"), THOUSAND("b"), THOUSAND("c"), THOUSAND("d"),
		      THOUSAND("e"), THOUSAND("f"), (char *)NULL);
		_exit(127);
	}
	assert(child > 0 && waitpid(child, &status, 0) == child);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return arg;
}

int main(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, start, NULL) == 0);
	pthread_join(t, NULL);
	return 0;
}
