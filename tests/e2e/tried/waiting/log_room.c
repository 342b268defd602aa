/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log waits for room while its list is locked; the flusher looks at the list before it makes room. */
#include <pthread.h>

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER, room = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made_room = PTHREAD_COND_INITIALIZER;
static int full = 1, listed;

static void *add(void *arg)
{
#ifndef FIXED
	pthread_mutex_lock(&list);
#endif
	pthread_mutex_lock(&room);
	while (full)
		pthread_cond_wait(&made_room, &room);
	full = 1;
	pthread_mutex_unlock(&room);
#ifdef FIXED
	pthread_mutex_lock(&list);
#endif
	listed++;
	pthread_mutex_unlock(&list);
	return arg;
}

static void *flush(void *arg)
{
	pthread_mutex_lock(&list); /* to empty it */
	listed = 0;
	pthread_mutex_unlock(&list);
	pthread_mutex_lock(&room);
	full = 0;
	pthread_cond_signal(&made_room);
	pthread_mutex_unlock(&room);
	return arg;
}

int main(void)
{
	pthread_t flusher, adder;

	pthread_create(&flusher, NULL, flush, NULL);
	pthread_create(&adder, NULL, add, NULL);
	pthread_join(adder, NULL);
	pthread_join(flusher, NULL);
	return 0;
}
