/* SPDX-License-Identifier: GPL-2.0-or-later */
/* N threads publish in two stages, each under its lock; one reader expects the second stage once it has seen the first. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int data1, data2;
static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *x)
{
	pthread_mutex_lock(&m1); data1 = 1; pthread_mutex_unlock(&m1);
	pthread_mutex_lock(&m2); data2 = data1 + 1; pthread_mutex_unlock(&m2);
	return x;
}
static void *reader(void *x)
{
	int one, two;
	pthread_mutex_lock(&m1); one = data1; pthread_mutex_unlock(&m1);
	if (!one) return x;
	pthread_mutex_lock(&m2); two = data2; pthread_mutex_unlock(&m2);
	assert(two == one + 1);
	return x;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t t[129];
	for (int i = 0; i < n; i++) pthread_create(&t[i], NULL, writer, NULL);
	pthread_create(&t[n], NULL, reader, NULL);
	for (int i = 0; i <= n; i++) pthread_join(t[i], NULL);
	return 0;
}
