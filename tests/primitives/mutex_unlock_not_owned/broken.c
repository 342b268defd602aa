/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutex is unlocked by a thread that does not own it, if that thread sees the flag early enough. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static volatile int held;

static void *own(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	held = 1;
	counter++;
	held = 0;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *meddle(void *arg)
{
	(void)arg;
	if (held)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, own, NULL);
	pthread_create(&threads[1], NULL, meddle, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
