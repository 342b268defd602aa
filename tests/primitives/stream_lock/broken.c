/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two streams, taken in two orders. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static void *print(void *arg)
{
	if (ftrylockfile(stderr))
		return arg;
	flockfile(stdout);
	putc_unlocked('a', stdout);
	funlockfile(stdout);
	funlockfile(stderr);
	return arg;
}

static void *save(void *arg)
{
	flockfile(stdout);
	flockfile(stderr);
	putc_unlocked('b', stderr);
	funlockfile(stderr);
	funlockfile(stdout);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, print, NULL);
	pthread_create(&threads[1], NULL, save, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
