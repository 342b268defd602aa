/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks of two files, each through a descriptor of the thread's own, always in the same order. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <fcntl.h>
#include <unistd.h>

static char first[] = "/tmp/vtb-first-XXXXXX", second[] = "/tmp/vtb-second-XXXXXX";
static int files[2][2];

static void take_both(int one, int other)
{
	flock(one, LOCK_EX);
	flock(other, LOCK_EX);
	flock(other, LOCK_UN);
	flock(one, LOCK_UN);
}

static void *forth(void *arg)
{
	(void)arg;
	take_both(files[0][0], files[1][0]);
	return NULL;
}

static void *back(void *arg)
{
	(void)arg;
	take_both(files[0][1], files[1][1]);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	files[0][0] = mkstemp(first);
	files[1][0] = mkstemp(second);
	files[0][1] = open(first, O_RDWR);
	files[1][1] = open(second, O_RDWR);
	unlink(first);
	unlink(second);
	pthread_create(&threads[0], NULL, forth, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
