/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main leaves by pthread_exit; the process ends with its last thread. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 2;

static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	left--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_detach(thread);
	}
	pthread_exit(NULL);
	return 0;
}
