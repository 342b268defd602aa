/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread changes a line in two steps, another one scans it, under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static char line[] = "12 34";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
	pthread_mutex_lock(&lock);
	line[0] = '7';
	line[1] = '6';
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *scan(void *arg)
{
	int first = 0, second = 0;

	pthread_mutex_lock(&lock);
	sscanf(line, "%d %d", &first, &second);
	pthread_mutex_unlock(&lock);
	assert(second == 34 && (first == 12 || first == 76));
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, change, NULL);
	pthread_create(&threads[1], NULL, scan, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
