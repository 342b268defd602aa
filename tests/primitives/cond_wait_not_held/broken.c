/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is waited for is tested under the mutex, and waited for without it. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int is_ready(void)
{
	int r;

	pthread_mutex_lock(&lock);
	r = ready;
	pthread_mutex_unlock(&lock);
	return r;
}

static void *await(void *arg)
{
	(void)arg;
	if (!is_ready()) {
		pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, set, NULL);
	pthread_create(&threads[1], NULL, await, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
