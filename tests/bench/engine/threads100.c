/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hundred threads that take one lock each. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *body(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[100];

	for (int i = 0; i < 100; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 100; i++)
		pthread_join(t[i], NULL);
	return sum != 100;
}
