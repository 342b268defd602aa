/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads take a time apart, both into libc's. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static const time_t times[2] = {0, 1000000000};
static const int years[2] = {70, 101};

static void *take_apart(void *arg)
{
	const size_t i = (size_t)arg;
	const struct tm *parts = gmtime(&times[i]);

	assert(parts->tm_year == years[i]);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_apart, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
