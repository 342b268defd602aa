/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_once. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls;

static void initialise(void)
{
	calls++;
}

static void *use(void *arg)
{
	(void)arg;
	pthread_once(&once, initialise);
	assert(calls == 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
