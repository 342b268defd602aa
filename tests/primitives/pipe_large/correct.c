/* SPDX-License-Identifier: GPL-2.0-or-later */
/* More than a pipe holds is written at once; the reader takes it out meanwhile. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#define SIZE 200000

static char data[SIZE], got[SIZE];
static int ends[2];

static void *take(void *arg)
{
	size_t n = 0;

	(void)arg;
	while (n < SIZE) {
		const ssize_t r = read(ends[0], got + n, SIZE - n);

		assert(r > 0);
		n += (size_t)r;
	}
	assert(got[SIZE - 1] == 7);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	assert(pipe(ends) == 0);
	data[SIZE - 1] = 7;
	pthread_create(&thread, NULL, take, NULL);
	assert(write(ends[1], data, SIZE) == SIZE);
	pthread_join(thread, NULL);
	return 0;
}
