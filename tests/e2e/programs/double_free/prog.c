/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads see that the buffer is there, and both give it back. */
#include <pthread.h>
#include <stdlib.h>

static char *volatile buffer;

__attribute__((noinline)) static char *make(void)
{
	char *fresh = malloc(40);

	return fresh;
}

__attribute__((noinline)) static void drop(void)
{
	if (buffer) {
		free(buffer);
		buffer = NULL;
	}
}

static void *first(void *arg)
{
	(void)arg;
	drop();
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	drop();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	buffer = make();
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
