/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A test that ends itself should it ever hang, by an alarm without a handler. In no order of the threads does it. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	alarm(60);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", count);
	return count != 6;
}
