/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fails in every schedule, long after its start. */
#include <pthread.h>
#include <stdlib.h>
static int x;
static void *add(void *a) { x++; return a; }
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	for (volatile long i = 0; i < 300000000; i++)
		;
	abort();
}
