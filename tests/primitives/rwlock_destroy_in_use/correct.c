/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A read-write lock destroyed after the join. */
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
	pthread_join(thread, NULL);
	pthread_rwlock_destroy(&lock);
	return looks == 1 ? 0 : 1;
}
