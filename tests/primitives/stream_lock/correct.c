/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that have a stream for themselves while they count what they print. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static FILE *file;
static volatile int printed;

static void *print(void *arg)
{
	flockfile(file);
	putc_unlocked('a', file);
	printed = printed + 1;
	funlockfile(file);
	return arg;
}

int main(void)
{
	static char text[8];
	pthread_t threads[2];

	file = fmemopen(text, sizeof(text), "w");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, print, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(printed == 2);
	return 0;
}
