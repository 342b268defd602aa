/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutex destroyed after the join. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int counter;

static void *use(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[1];

	pthread_mutex_init(&lock, NULL);
	pthread_create(&threads[0], NULL, use, NULL);
	for (int i = 0; i < 1; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&lock);
	assert(counter == 1);
	return 0;
}
