/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads, each reads its half of `from` and writes its half of `to` ROUNDS times: more accesses than a recording keeps in the tail of a
 * file. With an argument the process is killed at the end.
 */
#include <pthread.h>
#include <signal.h>

#define HALF 1500
#define ROUNDS 12

int from[2 * HALF], to[2 * HALF];

static void *work(void *arg)
{
	const long which = (long)arg;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < HALF; i++)
			to[which * HALF + i] = from[which * HALF + i] + round;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (argc > 1)
		raise(SIGKILL);
	return 0;
}
