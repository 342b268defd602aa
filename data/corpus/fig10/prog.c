/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figure 10: thread 1 has to be stopped at two variables, once for each of two other threads. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int a, b;

static void *thread1(void *arg)
{
	int t1, t2, t3, t4;

	(void)arg;
	t1 = a;
	t2 = a;
	t3 = b;
	t4 = b;
	assert(t1 == t2 || t3 == t4);
	return NULL;
}

static void *thread2(void *arg)
{
	(void)arg;
	a++;
	return NULL;
}

static void *thread3(void *arg)
{
	(void)arg;
	b++;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, thread1, NULL);
	pthread_create(&t2, NULL, thread2, NULL);
	pthread_create(&t3, NULL, thread3, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	return 0;
}
