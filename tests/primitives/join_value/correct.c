/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value handed over by return and by pthread_exit. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int values[2] = { 1, 2 };

static void *by_return(void *arg)
{
	(void)arg;
	return &values[0];
}

static void *by_exit(void *arg)
{
	(void)arg;
	pthread_exit(&values[1]);
}

int main(void)
{
	pthread_t a, b;
	void *from_a, *from_b;

	pthread_create(&a, NULL, by_return, NULL);
	pthread_create(&b, NULL, by_exit, NULL);
	pthread_join(b, &from_b);
	pthread_join(a, &from_a);
	assert(from_a == &values[0] && from_b == &values[1]);
	return 0;
}
