/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A barrier destroyed by the first who is through: the other one may still be on its way out. */
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t both;
static volatile int arrived;

static void *meet(void *arg)
{
	(void)arg;
	arrived = 1;
	pthread_barrier_wait(&both);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, meet, NULL);
	pthread_barrier_wait(&both);
	pthread_barrier_destroy(&both);
	pthread_join(thread, NULL);
	return arrived ? 0 : 1;
}
