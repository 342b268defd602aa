/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leaves a process of its own session behind, and a thread that does nothing of interest. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			sleep(300);
		_exit(0);
	}
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	return 0;
}
