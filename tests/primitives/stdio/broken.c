/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads print a line in two pieces. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char buffer[64];
static FILE *stream;

static void *print(void *arg)
{
	(void)arg;
	fputs("ab", stream);
	fputs("cd", stream);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	stream = fmemopen(buffer, sizeof(buffer), "w");
	if (!stream)
		return 77;
	pthread_create(&threads[0], NULL, print, NULL);
	pthread_create(&threads[1], NULL, print, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fclose(stream);
	assert(!strcmp(buffer, "abcdabcd"));
	return 0;
}
