/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that takes signals blocks them first thing, but another may have sent one by then. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t taken;

static void *takes(void *arg)
{
	int signal;

	pthread_sigmask(SIG_BLOCK, &taken, NULL);
	sigwait(&taken, &signal);
	return arg;
}

int main(void)
{
	pthread_t t;

	sigemptyset(&taken);
	sigaddset(&taken, SIGHUP);
	pthread_create(&t, NULL, takes, NULL);
	pthread_sigmask(SIG_BLOCK, &taken, NULL);
	kill(getpid(), SIGHUP);
	pthread_join(t, NULL);
	return 0;
}
