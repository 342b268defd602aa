/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stopper says why it ends the program, and accesses nothing after that; what that last write has left is told. */
#include <pthread.h>
#include <stdlib.h>

enum { IDLE, SERVING, BROKEN };

#define PANIC(why) (state = (why), abort())

static int state;

static void *serve(void *arg)
{
	state = SERVING;
	return arg;
}

static void *stop(void *arg)
{
	if (state == SERVING)
		PANIC(BROKEN);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, stop, NULL);
	pthread_create(&threads[1], NULL, serve, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
