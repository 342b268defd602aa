/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop that is told to end before it has begun forgets it, and waits for ever. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wakeup = PTHREAD_COND_INITIALIZER;
static int running;

static void loop_run(void)
{
	pthread_mutex_lock(&lock);
	running = 1;
	while (running)
		pthread_cond_wait(&wakeup, &lock);
	pthread_mutex_unlock(&lock);
}

static void *quit(void *arg)
{
	pthread_mutex_lock(&lock);
	running = 0;
	pthread_cond_signal(&wakeup);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, quit, NULL);
	loop_run();
	pthread_join(t, NULL);
	return 0;
}
