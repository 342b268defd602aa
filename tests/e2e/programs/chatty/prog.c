/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints megabytes on both streams, from two threads, and fails in one order. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int ready;
static char line[65536];

static void *check(void *arg)
{
	(void)arg;
	assert(ready);
	return NULL;
}

static void *talk(void *arg)
{
	(void)arg;
	for (int i = 0; i < 24; i++)
		if (write(i % 3 ? STDOUT_FILENO : STDERR_FILENO, line, sizeof(line)) < 0)
			break;
	ready = 1;
	return NULL;
}

int main(void)
{
	pthread_t talker, checker;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	pthread_create(&talker, NULL, talk, NULL);
	pthread_create(&checker, NULL, check, NULL);
	pthread_join(talker, NULL);
	pthread_join(checker, NULL);
	return 0;
}
