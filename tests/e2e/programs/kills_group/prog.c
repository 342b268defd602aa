/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends SIGTERM to its whole process group: the tool that started it must not be in it. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *end_all(void *arg)
{
	kill(0, SIGTERM);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_all, NULL);
	pthread_join(thread, NULL);
	return 0;
}
