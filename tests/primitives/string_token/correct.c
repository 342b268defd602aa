/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads count the words of a text; where strtok_r() stands is each one's own. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static void *count(void *arg)
{
	char text[] = "one two three", *rest;
	int n = 0;

	(void)arg;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		n++;
	assert(n == 3);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
