/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wait gives a recursive mutex back once: who holds it twice keeps it, and nobody can change what is waited for. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void await_ready(void)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	await_ready();
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *set(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_create(&threads[0], NULL, set, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
