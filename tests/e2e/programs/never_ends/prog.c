/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads that hand a turn back and forth for ever: something to record until somebody stops it. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long turns;

static void *run(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		turns++;
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	pthread_join(threads[0], NULL);
	return 0;
}
