/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queued real-time signals come each with their value, in the order in which they were sent. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *receive(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 3; i++) {
		siginfo_t info;

		assert(sigwaitinfo(&set, &info) == SIGRTMIN);
		assert(info.si_value.sival_int == i && info.si_code == SI_QUEUE);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, receive, NULL);
	for (int i = 1; i <= 3; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
	pthread_join(thread, NULL);
	return 0;
}
