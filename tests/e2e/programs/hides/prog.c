/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Its exit status says failure in every schedule; one order of its threads fails in another way. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int count;

static void *add(void *arg)
{
	count++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	return 1; /* no network here */
}
