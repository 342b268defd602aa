/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal is sent to who waits in sigwait(), and a signalfd has it in its set, too. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t set;
static int fd;

static void *receive(void *arg)
{
	struct signalfd_siginfo info;

	(void)arg;
	read(fd, &info, sizeof(info));
	return NULL;
}

static void *await(void *arg)
{
	int signal;

	(void)arg;
	sigwait(&set, &signal);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	kill(getpid(), SIGUSR1);
	pthread_create(&threads[0], NULL, await, NULL);
	pthread_create(&threads[1], NULL, receive, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
