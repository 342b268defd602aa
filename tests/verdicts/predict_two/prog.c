/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two locks in opposite order, ten rounds apart: the run in which nobody disturbs the threads shows the circle, not the deadlock. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER, counter = PTHREAD_MUTEX_INITIALIZER;
static int rounds, entries;

static void *book(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&counter);
		rounds++;
		pthread_mutex_unlock(&counter);
	}
	pthread_mutex_lock(&accounts);
	pthread_mutex_lock(&journal);
	entries++;
	pthread_mutex_unlock(&journal);
	pthread_mutex_unlock(&accounts);
	return arg;
}

static void *audit(void *arg)
{
	pthread_mutex_lock(&journal);
	pthread_mutex_lock(&accounts);
	entries++;
	pthread_mutex_unlock(&accounts);
	pthread_mutex_unlock(&journal);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, book, NULL);
	pthread_create(&b, NULL, audit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return entries == 2 ? 0 : 1;
}
