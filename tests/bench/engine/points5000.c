/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads, about 5000 schedule points; with an argument, so many rounds instead. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counters[3];
static int sum, rounds = 800;

static void *body(void *arg)
{
	volatile int *mine = &counters[(long)arg];

	for (int i = 0; i < rounds; i++)
		(*mine)++;
	pthread_mutex_lock(&lock);
	sum += *mine;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	if (argc > 1)
		rounds = atoi(argv[1]);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, body, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return sum != 3 * rounds;
}
