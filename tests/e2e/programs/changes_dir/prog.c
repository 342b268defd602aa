/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goes elsewhere before anything happens; files must still land where the user asked for them. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int ready;

static void *check(void *arg)
{
	(void)arg;
	assert(ready);
	return NULL;
}

static void *prepare(void *arg)
{
	(void)arg;
	ready = 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	if (chdir("/"))
		return 4;
	pthread_create(&threads[0], NULL, prepare, NULL);
	pthread_create(&threads[1], NULL, check, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
