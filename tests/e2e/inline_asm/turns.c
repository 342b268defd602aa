/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Peterson's lock. BUG: it looks before it says that it wants to come in. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#include "moves.h"

static unsigned wants[2], turn;
static int balance;

static void take(unsigned me)
{
#ifdef BUG
	while (LOAD(&wants[1 - me]))
		;
	STORE(&wants[me], 1);
#else
	STORE(&wants[me], 1);
	STORE(&turn, 1 - me);
	while (LOAD(&wants[1 - me]) && LOAD(&turn) == 1 - me)
		;
#endif
}

static void *deposit(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;

	take(me);
	balance++;
	STORE(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, deposit, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(balance == 2);
	return 0;
}
