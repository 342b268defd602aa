/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_spin_trylock, tried once. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	if (pthread_spin_trylock(&lock) == 0) {
		counter++;
		pthread_spin_unlock(&lock);
	}
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
	return 0;
}
