/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread cancelled in a wait takes its mutex to the grave. (In a free run main is quicker with its flag.) */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *await(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	if (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, await, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return 0;
}
