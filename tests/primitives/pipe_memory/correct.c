/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread writes a buffer to a pipe, another one uses it again, under a lock and in this order. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static char buffer[8] = "first";
static int ends[2];
static bool sent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *send(void *arg)
{
	pthread_mutex_lock(&lock);
	assert(write(ends[1], buffer, 5) == 5);
	sent = true;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reuse(void *arg)
{
	pthread_mutex_lock(&lock);
	if (sent)
		memcpy(buffer, "other", 5);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	char got[8] = "";

	assert(pipe(ends) == 0);
	pthread_create(&threads[0], NULL, reuse, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(read(ends[0], got, 5) == 5 && !strcmp(got, "first"));
	return 0;
}
