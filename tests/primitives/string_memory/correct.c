/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads fill a buffer by memcpy(), under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static char shared[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile size_t size = sizeof(shared); /* unknown to the compiler: it must call the functions */

static void *put(void *arg)
{
	char mine[sizeof(shared)];

	memset(mine, 'a' + (arg != NULL), size);
	pthread_mutex_lock(&lock);
	memcpy(shared, mine, size / 2);
	memcpy(shared + size / 2, mine, size / 2);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, put, NULL);
	pthread_create(&threads[1], NULL, put, shared);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(memcmp(shared, shared + size / 2, size / 2) == 0);
	return 0;
}
