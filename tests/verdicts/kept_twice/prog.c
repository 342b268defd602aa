/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wait for the answer keeps the lock, which who answers takes first; it was taken twice, and given back once. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t calls;
static sem_t answered;
static int answers;

static void *call(void *arg)
{
	pthread_mutex_lock(&calls);
	pthread_mutex_lock(&calls);
	pthread_mutex_unlock(&calls);
	sem_wait(&answered);
	pthread_mutex_unlock(&calls);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&calls, &attr);
	sem_init(&answered, 0, 0);
	pthread_create(&t, NULL, call, NULL);
	pthread_mutex_lock(&calls);
	answers++;
	sem_post(&answered);
	pthread_mutex_unlock(&calls);
	pthread_join(t, NULL);
	return 0;
}
