/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figure 4: two switches, at two different variables. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int a, b;

static void *thread1(void *arg)
{
	int first, second, third;

	(void)arg;
	first = a;
	second = a;
	third = b;
	assert(first == second || third != 1);
	return NULL;
}

static void *thread2(void *arg)
{
	(void)arg;
	a = 1;
	b = 1;
	b = 0;
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
