/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file lock between two threads with a descriptor each. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int files[2];
static volatile int counter;

static void *add(void *arg)
{
	const int file = files[arg != NULL];

	flock(file, LOCK_EX);
	counter = counter + 1;
	flock(file, LOCK_UN);
	return NULL;
}

int main(void)
{
	char name[] = "/tmp/vtb-flock-XXXXXX";
	pthread_t threads[2];

	files[0] = mkstemp(name);
	files[1] = open(name, O_RDWR);
	unlink(name);
	if (files[0] < 0 || files[1] < 0)
		return 77;
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, files);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
