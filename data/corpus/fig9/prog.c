/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figure 9: two other threads have to run between the reads. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int a;

static void *thread1(void *arg)
{
	int first, second;

	(void)arg;
	first = a;
	second = a;
	assert(second <= first + 1);
	return NULL;
}

static void *add(void *arg)
{
	(void)arg;
	a++;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, thread1, NULL);
	pthread_create(&t2, NULL, add, NULL);
	pthread_create(&t3, NULL, add, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
