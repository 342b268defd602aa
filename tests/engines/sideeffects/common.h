/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads; what the program finds outside its memory decides with their order whether it fails. */
#ifndef SIDE_EFFECT_H
#define SIDE_EFFECT_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The program's own: called by the first and by the second thread; then verdict() says whether the run is good. */
static void first(void);
static void second(void);
static int good(void);

static int order; /* 1: second() came before first() had ended */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int first_done;

static void *run_first(void *arg)
{
	first();
	first_done = 1;
	return arg;
}

static void *run_second(void *arg)
{
	pthread_mutex_lock(&lock);
	order = !first_done;
	pthread_mutex_unlock(&lock);
	second();
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int ok;

	pthread_create(&t[0], NULL, run_first, NULL);
	pthread_create(&t[1], NULL, run_second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	ok = good();
	printf("good %d order %d\n", ok, order);
	return !ok || order;
}

#endif /* SIDE_EFFECT_H */
