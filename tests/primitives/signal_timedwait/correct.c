/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal wait with a deadline that the program is prepared to miss. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sigset_t set;

static void *receive(void *arg)
{
	const struct timespec span = {.tv_sec = 1};
	const int got = sigtimedwait(&set, NULL, &span);

	(void)arg;
	assert(got == SIGUSR1 || (got == -1 && errno == EAGAIN));
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, receive, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
