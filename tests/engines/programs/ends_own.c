/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A destructor that the loader calls: it touches memory, and prints. */
#include <pthread.h>
#include <stdio.h>

static int sum;

__attribute__((destructor)) static void end(void)
{
	sum += 10;
	printf("destructor %d\n", sum);
}

static void *adder(void *arg)
{
	(void)arg;
	sum++;
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, adder, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
