/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal to say that there is something to read: if it comes while the reader waits, the read ends with EINTR, and
 * the reader takes that for an error. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void on_news(int signal)
{
	(void)signal;
}

static void *reader(void *arg)
{
	char byte;

	(void)arg;
	if (read(ends[0], &byte, 1) != 1)
		exit(1);
	return NULL;
}

int main(void)
{
	struct sigaction action;
	pthread_t thread;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_news;
	sigaction(SIGUSR1, &action, NULL);
	if (pipe(ends) != 0)
		return 2;
	pthread_create(&thread, NULL, reader, NULL);
	pthread_kill(thread, SIGUSR1);
	if (write(ends[1], "x", 1) != 1)
		return 2;
	pthread_join(thread, NULL);
	return 0;
}
