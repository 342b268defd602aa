/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits on a round that puts back what it writes on its own stack, and another one looks at it there: what it
 * would see on later rounds is not known. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int go;
static volatile int *volatile shown;

static void *wait(void *arg)
{
	volatile int mine = 0;

	shown = &mine;
	while (!atomic_load(&go)) { /* held back here */
		mine = 1;
		mine = 0;
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, wait, NULL);
	while (!shown)
		;
	seen = *shown;
	atomic_store(&go, 1);
	pthread_join(t, NULL);
	return seen > 1;
}
