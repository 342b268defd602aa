/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads take two locks in opposite order. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *a_to_b(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock_a);
	pthread_mutex_lock(&lock_b);
	moved++;
	pthread_mutex_unlock(&lock_b);
	pthread_mutex_unlock(&lock_a);
	return NULL;
}

static void *b_to_a(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock_b);
	pthread_mutex_lock(&lock_a);
	moved++;
	pthread_mutex_unlock(&lock_a);
	pthread_mutex_unlock(&lock_b);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, a_to_b, NULL);
	pthread_create(&t2, NULL, b_to_a, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return moved == 2 ? 0 : 1;
}
