/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ignores the polite signals and never ends. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;

	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	for (;;)
		pause();
}
