/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Critical sections in which code without hooks accesses what is asserted. */
#include "two.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

__attribute__((no_sanitize("thread"), noinline)) static void set(int value)
{
	x = value;
}

__attribute__((no_sanitize("thread"), noinline)) static int get(void)
{
	return x;
}

static void one(void)
{
	pthread_mutex_lock(&mutex);
#if HOW == 1
	set(1);
#else
	x = 2;
	x = 1;
#endif
	pthread_mutex_unlock(&mutex);
}

static void two(void)
{
	int seen = 1;

	pthread_mutex_lock(&mutex);
#if HOW == 1
	set(2);
#else
	seen = get();
#endif
	pthread_mutex_unlock(&mutex);
	assert(seen == 1);
}

int main(void)
{
	both();
	assert(HOW == 2 || x != 1);
	return 0;
}
