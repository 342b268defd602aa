/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread does depends on where its stack is, as with barriers of the standard library, and what main does
 * on where memory is mapped. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define BITS 24u
#define PAGE_BITS 12u
#define MAPPED (1u << 20) /* bytes: malloc() maps them */

static unsigned zeros, ones;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(uintptr_t address)
{
	for (unsigned bit = 0; bit < BITS; bit++)
		if (address >> (PAGE_BITS + bit) & 1) {
			pthread_mutex_lock(&lock);
			ones++;
			pthread_mutex_unlock(&lock);
		} else
			zeros++;
}

static void *thread(void *arg)
{
	count((uintptr_t)pthread_self());
	return arg;
}

int main(void)
{
	void *block = malloc(MAPPED);
	pthread_t id;

	if (!block || pthread_create(&id, NULL, thread, NULL))
		return 2;
	pthread_join(id, NULL);
	count((uintptr_t)block);
	free(block);
	return 0;
}
