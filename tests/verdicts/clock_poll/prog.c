/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop that polls the clock for a minute and notes the time under a lock, as event loops do: virtual time must carry it to its end. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long long now;

static long long read_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(void)
{
	const long long start = read_clock();

	do {
		pthread_mutex_lock(&lock);
		now = read_clock();
		pthread_mutex_unlock(&lock);
	} while (now - start < 60000000000ll);
	return 0;
}
