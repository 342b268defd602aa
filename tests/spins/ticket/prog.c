/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ticket lock, three threads. Broken: two may draw the same ticket. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint next, serving;
static int n;

static unsigned draw(void)
{
#ifdef BROKEN
	const unsigned mine = atomic_load(&next);

	atomic_store(&next, mine + 1);
	return mine;
#else
	return atomic_fetch_add(&next, 1);
#endif
}

static void *add(void *arg)
{
	const unsigned mine = draw();

	while (atomic_load(&serving) != mine)
		;
	n++;
	atomic_store(&serving, mine + 1);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	add(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(n == 3);
	return 0;
}
