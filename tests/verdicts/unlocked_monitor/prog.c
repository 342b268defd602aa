/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers count under a lock, a monitor reads the counter without it: no failure, and a warning. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void count(void)
{
	pthread_mutex_lock(&stats_lock);
	served++;
	pthread_mutex_unlock(&stats_lock);
}

static void undo(void)
{
	pthread_mutex_lock(&stats_lock);
	served--;
	pthread_mutex_unlock(&stats_lock);
}

static void *work(void *arg)
{
	count();
	undo();
	count();
	return arg;
}

static void *monitor(void *arg)
{
	const int now = served; /* nobody holds stats_lock here */

	return now < 0 ? arg : NULL;
}

int main(void)
{
	pthread_t worker, watcher;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&watcher, NULL, monitor, NULL);
	pthread_join(worker, NULL);
	pthread_join(watcher, NULL);
	printf("%d\n", served);
	return served == 1 ? 0 : 1;
}
