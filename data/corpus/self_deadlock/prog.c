/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log writes itself out when it is full, and takes the lock that its caller already holds. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines = 6;

static void log_flush(void)
{
	pthread_mutex_lock(&log_lock);
	lines = 0;
	pthread_mutex_unlock(&log_lock);
}

static void *add_line(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&log_lock);
	lines++;
	if (lines >= 8)
		log_flush();
	pthread_mutex_unlock(&log_lock);
	return NULL;
}

/* Takes a moment, without any visible operation, so that a free run passes. */
static void warm_up(void)
{
	for (int i = 0; i < 400000; i++)
		__asm__ volatile("");
}

static void *add_line_later(void *arg)
{
	warm_up();
	return add_line(arg);
}

static void *clear(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&log_lock);
	lines = 0;
	pthread_mutex_unlock(&log_lock);
	return NULL;
}

int main(void)
{
	pthread_t first, cleaner, second;

	pthread_create(&first, NULL, add_line, NULL);
	pthread_create(&cleaner, NULL, clear, NULL);
	pthread_create(&second, NULL, add_line_later, NULL);
	pthread_join(first, NULL);
	pthread_join(cleaner, NULL);
	pthread_join(second, NULL);
	return 0;
}
