/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a lock was free is all that is asserted of it. */
#include "two.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x, failed = 1;

static void one(void)
{
	pthread_mutex_lock(&mutex);
	x++;
	pthread_mutex_unlock(&mutex);
}

static void two(void)
{
	failed = pthread_mutex_trylock(&mutex);
	if (!failed)
		pthread_mutex_unlock(&mutex);
}

int main(void)
{
	both();
	assert(!failed);
	return 0;
}
