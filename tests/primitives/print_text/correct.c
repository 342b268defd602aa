/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread changes a name in two steps, another one prints it into its own memory, under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char name[16] = "Bob";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
	pthread_mutex_lock(&lock);
	name[0] = 'R';
	name[2] = 'n';
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *print(void *arg)
{
	char text[32];

	pthread_mutex_lock(&lock);
	snprintf(text, sizeof(text), "%3d <%-4.3s> %g", 1, name, 0.5);
	pthread_mutex_unlock(&lock);
	assert(!strcmp(text, "  1 <Bob > 0.5") || !strcmp(text, "  1 <Ron > 0.5"));
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, change, NULL);
	pthread_create(&threads[1], NULL, print, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
