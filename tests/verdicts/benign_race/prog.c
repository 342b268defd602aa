/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics without a lock: races that no schedule turns into a failure; what the lock protects is not among them. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits, guarded;

static void *serve(void *arg)
{
	hits = hits + 1;
	pthread_mutex_lock(&lock);
	guarded++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, serve, NULL);
	pthread_create(&t2, NULL, serve, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return guarded == 2 ? 0 : 1;
}
