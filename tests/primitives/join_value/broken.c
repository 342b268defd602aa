/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads join each other. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_t a, b;
static pthread_barrier_t known;

static void *join_b(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&known);
	pthread_join(b, NULL);
	return NULL;
}

static void *join_a(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&known);
	if (pthread_join(a, NULL) == EDEADLK)
		abort();
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&known, NULL, 3);
	pthread_create(&a, NULL, join_b, NULL);
	pthread_create(&b, NULL, join_a, NULL);
	pthread_barrier_wait(&known);
	pthread_exit(NULL);
	return 0;
}
