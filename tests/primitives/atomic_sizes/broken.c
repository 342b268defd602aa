/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An atomic load and an atomic store are not one atomic addition. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic unsigned short counter;

static void *add(void *arg)
{
	(void)arg;
	counter = (unsigned short)(counter + 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
