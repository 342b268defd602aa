/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wait without its condition hangs in some orders; then the alarm ends the process, as it is there to. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;

static void *tell(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&told);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	alarm(60);
	pthread_create(&thread, NULL, tell, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&told, &lock);
	pthread_mutex_unlock(&lock);
	return pthread_join(thread, NULL);
}
