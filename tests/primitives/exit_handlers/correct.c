/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An exit handler closes what a thread uses, which has ended by then. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed;

static void close_it(void)
{
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	assert(!closed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	atexit(close_it);
	pthread_create(&thread, NULL, use, NULL);
	pthread_join(thread, NULL);
	return 0;
}
