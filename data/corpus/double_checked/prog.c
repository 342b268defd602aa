/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Double-checked initialisation that publishes the object before it is filled in. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct table {
	volatile int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *volatile instance;

static struct table *table_get(void)
{
	if (!instance) {
		pthread_mutex_lock(&lock);
		if (!instance) {
			struct table *fresh = calloc(1, sizeof(*fresh));

			if (!fresh)
				exit(77);
			instance = fresh;
			fresh->size = 64;
		}
		pthread_mutex_unlock(&lock);
	}
	return instance;
}

static void *use(void *arg)
{
	(void)arg;
	assert(table_get()->size == 64);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(instance);
	return 0;
}
