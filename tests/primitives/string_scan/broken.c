/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread changes a line in two steps, another one scans it, without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static char line[] = "12 34";

static void *change(void *arg)
{
	line[0] = '7';
	line[1] = '6';
	return arg;
}

static void *scan(void *arg)
{
	int first = 0, second = 0;

	sscanf(line, "%d %d", &first, &second);
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
