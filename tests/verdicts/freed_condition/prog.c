/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer is told after the mutex was given back. Who waits may have seen it by then, and freed the condition. */
#include <pthread.h>
#include <stdlib.h>

struct request {
	pthread_mutex_t mutex;
	pthread_cond_t answered;
	int done;
};

static void *answer(void *arg)
{
	struct request *r = arg;

	pthread_mutex_lock(&r->mutex);
	r->done = 1;
	pthread_mutex_unlock(&r->mutex);
	pthread_cond_signal(&r->answered);
	return NULL;
}

int main(void)
{
	struct request *r = calloc(1, sizeof(*r));
	pthread_t server;

	pthread_mutex_init(&r->mutex, NULL);
	pthread_cond_init(&r->answered, NULL);
	pthread_create(&server, NULL, answer, r);
	pthread_mutex_lock(&r->mutex);
	while (!r->done)
		pthread_cond_wait(&r->answered, &r->mutex);
	pthread_mutex_unlock(&r->mutex);
	pthread_cond_destroy(&r->answered);
	pthread_mutex_destroy(&r->mutex);
	free(r);
	pthread_join(server, NULL);
	return 0;
}
