// SPDX-License-Identifier: GPL-2.0-or-later
// A thread of its own takes the signals by sigwait() and collects the children.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t set;
static int collected;

static void *reaps(void *arg)
{
	while (collected < 2) {
		int signal;

		assert(sigwait(&set, &signal) == 0 && signal == SIGCHLD);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			collected++;
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, reaps, NULL);
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			usleep(500 * (unsigned)i);
			_exit(0);
		}
	pthread_join(t, NULL);
	assert(collected == 2);
	return 0;
}
