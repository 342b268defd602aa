/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A handler of quick_exit() closes what a thread uses: it goes on until the last handler has returned. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int closed;

static void close_it(void)
{
	closed = 1;
}

static void *use(void *arg)
{
	(void)arg;
	assert(!closed);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	at_quick_exit(close_it);
	pthread_create(&thread, NULL, use, NULL);
	pthread_detach(thread);
	quick_exit(0);
}
