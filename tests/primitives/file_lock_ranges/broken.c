/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks of a range of a file that belong to the process: between its threads they exclude nobody. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static int files[2];
static volatile int counter;

static void set(int file, short type)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};

	assert(fcntl(file, F_SETLKW, &lock) == 0);
}

static void *add(void *arg)
{
	const int file = files[arg != NULL];

	set(file, F_WRLCK);
	counter = counter + 1;
	set(file, F_UNLCK);
	return NULL;
}

int main(void)
{
	char name[] = "/tmp/vtb-range-XXXXXX";
	pthread_t threads[2];

	files[0] = mkstemp(name);
	files[1] = open(name, O_RDWR);
	unlink(name);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, files);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
