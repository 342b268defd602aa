/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A condition destroyed before those who wait for it are woken. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened;
static int is_open;

static void *wait_for_it(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_cond_init(&opened, NULL);
	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&lock);
	is_open = 1;
	pthread_cond_destroy(&opened);
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
