/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planted race: two threads increment a counter without a lock. Every hunt first finds the schedule in which one
 * increment is lost; if it cannot, nothing else that it says would be worth anything.
 */
#include <pthread.h>
#include <stdlib.h>

static int counter;

static void *increment(void *arg)
{
	const int seen = counter;

	(void)arg;
	counter = seen + 1;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, increment, NULL) || pthread_create(&b, NULL, increment, NULL))
		return 2;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (counter != 2)
		abort();
	return 0;
}
