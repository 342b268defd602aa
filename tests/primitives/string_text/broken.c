/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader forgets the lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static char text[32] = "zero";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *volatile names[2] = {"one", "three"};

static void *put(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	strcpy(text, names[0]);
	strcat(text, names[1]);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *look(void *arg)
{
	size_t n;

	(void)arg;
	n = strlen(text);
	assert(n == strlen("zero") || n == strlen("onethree"));
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, put, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
