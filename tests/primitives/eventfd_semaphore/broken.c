/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An eventfd as a semaphore: it lets two in at a time. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TOKENS 2

static int gate;
static volatile int counter;

static void *add(void *arg)
{
	const uint64_t one = 1;
	uint64_t n;

	(void)arg;
	assert(read(gate, &n, sizeof(n)) == sizeof(n) && n == 1);
	counter = counter + 1;
	assert(write(gate, &one, sizeof(one)) == sizeof(one));
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	gate = eventfd(TOKENS, EFD_SEMAPHORE);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
