/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocked signals read from a descriptor. */
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
	assert(read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR1);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	assert(fd >= 0);
	pthread_create(&thread, NULL, receive, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	close(fd);
	return 0;
}
