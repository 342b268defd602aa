/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two locks for what belongs together: found in a few schedules, and of 2 N threads nobody rules simpler orders out
 * soon. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;
static void *set(void *p)
{
	pthread_mutex_lock(&m1); data1 = 1; pthread_mutex_unlock(&m1);
	pthread_mutex_lock(&m2); data2 = data1 + 1; pthread_mutex_unlock(&m2);
	return p;
}
static void *check(void *p)
{
	int t1, t2;
	pthread_mutex_lock(&m1); t1 = data1; pthread_mutex_unlock(&m1);
	if (!t1) return p;
	pthread_mutex_lock(&m2); t2 = data2; pthread_mutex_unlock(&m2);
	assert(t2 == t1 + 1);
	return p;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	pthread_t *t = malloc(2 * (size_t)n * sizeof *t);
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], 0, set, 0);
	for (int i = 0; i < n; i++)
		pthread_create(&t[n + i], 0, check, 0);
	for (int i = 0; i < 2 * n; i++)
		pthread_join(t[i], 0);
	return 0;
}
