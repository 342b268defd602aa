/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stops its own process: nobody will continue it. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *stop(void *arg)
{
	kill(getpid(), SIGSTOP);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, stop, NULL);
	pthread_join(thread, NULL);
	return 0;
}
