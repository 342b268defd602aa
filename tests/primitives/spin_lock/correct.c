/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A spin lock around a counter. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	pthread_spin_lock(&lock);
	counter++;
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	pthread_spin_destroy(&lock);
	return 0;
}
