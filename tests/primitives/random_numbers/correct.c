/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much work there is is drawn by chance: each thread draws the same in every run. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/random.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int drawn[2], sum;

static void *draw(void *arg)
{
	int *mine = arg;
	unsigned char byte = 0;

	assert(getrandom(&byte, 1, 0) == 1);
	*mine = 1 + byte % 3;
	for (int i = 0; i < *mine; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, draw, &drawn[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(sum == drawn[0] + drawn[1]);
	return 0;
}
