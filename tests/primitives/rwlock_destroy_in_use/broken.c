/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A read-write lock destroyed by main as soon as somebody has looked: before the reader has given it back. */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;
static volatile int looks;

static void *look(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&lock);
	looks = 1;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_rwlock_init(&lock, NULL);
	pthread_create(&thread, NULL, look, NULL);
	if (looks == 1)
		pthread_rwlock_destroy(&lock);
	pthread_join(thread, NULL);
	return 0;
}
