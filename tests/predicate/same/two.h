/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads that run one() and two(), from main's first line to their end. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void one(void);
static void two(void);

static void *run_one(void *arg)
{
	one();
	return arg;
}

static void *run_two(void *arg)
{
	two();
	return arg;
}

static void both(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run_one, NULL);
	pthread_create(&b, NULL, run_two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
