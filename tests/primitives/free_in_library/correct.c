/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block that getline() may move is looked at under the lock. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *line;
static size_t size = 4;
static FILE *input;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *read_line(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	getline(&line, &size, input); /* moves the block */
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *look(void *arg)
{
	volatile char *first;

	(void)arg;
	pthread_mutex_lock(&lock);
	first = line;
	*first;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	static char text[] = "a line that is longer than the block that it is read into, so that the block must grow, and grow again, until all of the line "
			     "has its place in it\n";
	pthread_t threads[2];

	line = strdup("old");
	input = fmemopen(text, sizeof(text), "r");
	if (!input || !line)
		return 77;
	pthread_create(&threads[0], NULL, read_line, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(line);
	fclose(input);
	return 0;
}
