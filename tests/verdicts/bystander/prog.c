/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads deadlock; two others use one of the locks, too, and may get stuck behind them or not. With an argument the threads are created the other way round. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *forth(void *arg)
{
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	n++;
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return arg;
}

static void *back(void *arg)
{
	pthread_mutex_lock(&right);
	pthread_mutex_lock(&left);
	n++;
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return arg;
}

static void *bystander(void *arg)
{
	pthread_mutex_lock(&left);
	n++;
	pthread_mutex_unlock(&left);
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const routines[])(void *) = {forth, bystander, back, bystander};
	pthread_t threads[4];

	(void)argv;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, routines[argc > 1 ? 3 - i : i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return n == 4 ? 0 : 1;
}
