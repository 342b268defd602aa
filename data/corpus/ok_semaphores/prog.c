/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: two threads take turns by two semaphores. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ping, pong;
static int ball;

static void *serve(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		sem_wait(&ping);
		assert(ball % 2 == 0);
		ball++;
		sem_post(&pong);
	}
	return NULL;
}

static void *reply(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		sem_wait(&pong);
		assert(ball % 2 == 1);
		ball++;
		sem_post(&ping);
	}
	return NULL;
}

int main(void)
{
	pthread_t server, replier;

	sem_init(&ping, 0, 1);
	sem_init(&pong, 0, 0);
	pthread_create(&server, NULL, serve, NULL);
	pthread_create(&replier, NULL, reply, NULL);
	pthread_join(server, NULL);
	pthread_join(replier, NULL);
	assert(ball == 4);
	sem_destroy(&ping);
	sem_destroy(&pong);
	return 0;
}
