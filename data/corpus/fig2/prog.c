/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figure 2: two reads that must see the same value, and an increment that fits between them. */
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
	assert(first == second);
	return NULL;
}

static void *thread2(void *arg)
{
	(void)arg;
	a++;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, thread1, NULL);
	pthread_create(&t2, NULL, thread2, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
