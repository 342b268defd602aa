/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <pthread.h>

static int a[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *arg)
{
	const int first = arg ? 8 : 0;

	for (int i = first; i < first + 8; i++) {
		pthread_mutex_lock(&lock);
		a[i] = i + 1;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, fill, NULL);
	pthread_create(&two, NULL, fill, &one);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	for (int i = 0; i < 16; i++)
		assert(a[i] == i + 1);
	return 0;
}
