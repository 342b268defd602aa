/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal sent to a thread that waits for it. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;
static int message;

static void *wait_for_it(void *arg)
{
	int got;

	(void)arg;
	assert(sigwait(&set, &got) == 0 && got == SIGUSR1);
	assert(message == 7);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	message = 7;
	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
