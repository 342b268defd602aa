/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader does not wait: it reads what is there, which may be nothing yet. */
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
	assert(read(fd, &info, sizeof(info)) == sizeof(info));
	return NULL;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	pthread_create(&thread, NULL, receive, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
