/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: initialisation by pthread_once. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int size, calls;

static void initialise(void)
{
	calls++;
	size = 64;
}

static void *use(void *arg)
{
	(void)arg;
	pthread_once(&once, initialise);
	assert(size == 64);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(calls == 1);
	return 0;
}
