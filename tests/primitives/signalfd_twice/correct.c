/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals of a kind that is queued: there is a record for each. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;

static void *receive(void *arg)
{
	struct signalfd_siginfo info;

	(void)arg;
	for (int i = 0; i < 2; i++)
		assert(read(fd, &info, sizeof(info)) == sizeof(info));
	return NULL;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	pthread_create(&thread, NULL, receive, NULL);
	for (int i = 0; i < 2; i++)
		kill(getpid(), SIGRTMIN);
	pthread_join(thread, NULL);
	return 0;
}
