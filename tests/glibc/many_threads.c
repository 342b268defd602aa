/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 200 threads at a time, then 200 more, some with a stack size of their own, some detached. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#define THREADS 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ended;
static long sum;

static void *adds(void *arg)
{
	char scratch[2000];

	memset(scratch, (int)(long)arg, sizeof(scratch));
	pthread_mutex_lock(&lock);
	sum += (long)arg + (scratch[1999] != (char)(long)arg);
	pthread_mutex_unlock(&lock);
	sem_post(&ended);
	return arg;
}

static void round_of(long from)
{
	static pthread_t t[THREADS];
	pthread_attr_t small;
	long results = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (long i = 0; i < THREADS; i++) {
		pthread_create(&t[i], i % 3 ? NULL : &small, adds, (void *)(from + i));
		if (i % 5 == 0)
			pthread_detach(t[i]);
	}
	for (long i = 0; i < THREADS; i++)
		sem_wait(&ended);
	for (long i = 0; i < THREADS; i++) {
		void *result;

		if (i % 5) {
			pthread_join(t[i], &result);
			results += (long)result;
		}
	}
	pthread_attr_destroy(&small);
	printf("sum %ld, results %ld\n", sum, results);
}

int main(void)
{
	sem_init(&ended, 0, 0);
	round_of(0);
	round_of(1000);
	return 0;
}
