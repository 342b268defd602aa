/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figure 8: the order of three threads decides. The checking thread is started first, so that a free run passes. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int a;

static void *add(void *arg)
{
	(void)arg;
	a++;
	return NULL;
}

static void *check(void *arg)
{
	(void)arg;
	assert(a != 2);
	return NULL;
}

int main(void)
{
	pthread_t checker, adders[2];

	pthread_create(&checker, NULL, check, NULL);
	pthread_create(&adders[0], NULL, add, NULL);
	pthread_create(&adders[1], NULL, add, NULL);
	pthread_join(checker, NULL);
	pthread_join(adders[0], NULL);
	pthread_join(adders[1], NULL);
	return 0;
}
