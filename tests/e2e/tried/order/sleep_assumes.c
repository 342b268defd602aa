/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The service is given some time to start instead of being waited for. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static int port;
static sem_t started;

static void *service(void *arg)
{
	(void)arg;
	port = 8080;
	sem_post(&started);
	return NULL;
}

int main(void)
{
	pthread_t t;

	sem_init(&started, 0, 0);
	pthread_create(&t, NULL, service, NULL);
#ifdef FIXED
	sem_wait(&started);
#else
	usleep(1000);
#endif
	if (port != 8080) {
		fprintf(stderr, "service is not there\n");
		return 2;
	}
	pthread_join(t, NULL);
	return 0;
}
