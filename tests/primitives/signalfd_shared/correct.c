/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is pending is one for all: a copy of a signalfd and sigwait() get a signal each, whoever comes first. What goes
 * to one thread no other one reads. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t set;
static int copy;

static void *receive(void *arg)
{
	struct signalfd_siginfo info;

	(void)arg;
	assert(read(copy, &info, sizeof(info)) == sizeof(info));
	return NULL;
}

static void *await(void *arg)
{
	int signal;

	(void)arg;
	assert(sigwait(&set, &signal) == 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	struct signalfd_siginfo info;
	sigset_t pending;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	copy = dup(fd);
	close(fd);
	kill(getpid(), SIGRTMIN);
	sigpending(&pending);
	assert(sigismember(&pending, SIGRTMIN));
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, await, NULL);
	pthread_kill(pthread_self(), SIGRTMIN);
	assert(read(copy, &info, sizeof(info)) == sizeof(info));
	kill(getpid(), SIGRTMIN);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
