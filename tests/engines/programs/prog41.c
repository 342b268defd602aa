/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads, two mutexes, about 41 schedule points; the assertion fails in a few percent of the random schedules. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int sum, ready, steps;

static void *adder(void *arg)
{
	const int amount = *(int *)arg;

	pthread_mutex_lock(&left);
	sum += amount;
	pthread_mutex_unlock(&left);
	pthread_mutex_lock(&right);
	steps++;
	pthread_mutex_unlock(&right);
	return NULL;
}

static void *checker(void *arg)
{
	int seen;

	(void)arg;
	pthread_mutex_lock(&left);
	seen = sum;
	pthread_mutex_unlock(&left);
	ready = 1;
	pthread_mutex_lock(&left);
	assert(!(seen == 2 && sum == 3 && steps == 0)); /* the second adder has run, the first is in between */
	pthread_mutex_unlock(&left);
	return NULL;
}

int main(int argc, char **argv)
{
	static int amounts[2] = {1, 2};
	pthread_t t[3];

	pthread_create(&t[0], NULL, adder, &amounts[0]);
	pthread_create(&t[1], NULL, adder, &amounts[1]);
	pthread_create(&t[2], NULL, checker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	(void)argv;
	if (argc == 1) /* with an argument it is silent */
		printf("%d %d %d\n", sum, steps, ready);
	return 0;
}
