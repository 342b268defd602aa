/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An initialiser guarded by a plain flag runs twice. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int initialised;
static int calls;

static void *use(void *arg)
{
	(void)arg;
	if (!initialised) {
		calls++;
		initialised = 1;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(calls == 1);
	return 0;
}
