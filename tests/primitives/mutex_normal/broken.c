/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second lock of a normal mutex by its owner waits for ever; it happens only if the other thread came first. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static int asked;

static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	if (asked)
		pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *ask(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	asked = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
