/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Atomic additions of 1, 2, 4 and 8 bytes and on a pair of 16. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic unsigned char a1;
static _Atomic unsigned short a2;
static _Atomic unsigned a4;
static _Atomic unsigned long a8;

static void *add(void *arg)
{
	(void)arg;
	a1++;
	a2 += 2;
	atomic_fetch_or(&a4, 1u);
	atomic_exchange(&a8, 8ul);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(a1 == 2 && a2 == 4 && a4 == 1 && a8 == 8);
	return 0;
}
