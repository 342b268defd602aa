/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring for one who puts and one who takes. BUG: an entry can be taken before it is there. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "moves.h"

#define SIZE 4u

static struct ring {
	unsigned taken, put;
	int entries[SIZE];
} ring;

static bool put(struct ring *r, int entry)
{
	const unsigned at = LOAD(&r->put);

	if (at - LOAD(&r->taken) == SIZE)
		return false;
#ifdef BUG
	STORE(&r->put, at + 1);
	r->entries[at % SIZE] = entry;
#else
	r->entries[at % SIZE] = entry;
	STORE(&r->put, at + 1);
#endif
	return true;
}

static bool take(struct ring *r, int *entry)
{
	const unsigned at = LOAD(&r->taken);

	if (LOAD(&r->put) == at)
		return false;
	*entry = r->entries[at % SIZE];
	STORE(&r->taken, at + 1);
	return true;
}

static void *taker(void *arg)
{
	int entry = 0;

	for (int i = 0; i < 2; i++)
		if (take(&ring, &entry))
			assert(entry != 0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, taker, NULL);
	for (int i = 1; i <= 2; i++)
		put(&ring, i);
	pthread_join(t, NULL);
	return 0;
}
