/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock of a range of a file belongs to the process: which of its threads took it says nothing of what this one may
 * touch. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int file, entries, seen;

static void set(short type)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};

	assert(fcntl(file, F_SETLK, &lock) == 0);
}

static void *enter(void *arg)
{
	set(F_WRLCK);
	entries = 1;
	entries += 2;
	entries += 3;
	entries += 4;
	set(F_UNLCK);
	return arg;
}

static void *look(void *arg)
{
	seen = entries;
	return arg;
}

int main(void)
{
	char name[] = "/tmp/vtb-process-lock-XXXXXX";
	pthread_t threads[2];

	file = mkstemp(name);
	unlink(name);
	pthread_create(&threads[0], NULL, enter, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(file);
	return seen <= 10 ? 0 : 1;
}
