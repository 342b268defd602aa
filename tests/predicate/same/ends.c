/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures at the end: in what main has called at_exit() for, in a destructor, by the status. */
#include "two.h"

static int x, y, others;

static void one(void)
{
	x = 1;
#if HOW == 4
	if (others)
		exit(x);
	others = 1;
#endif
}

static void two(void)
{
	x = 2;
#if HOW == 4
	if (others)
		exit(x * 3);
	others = 1;
#endif
}

static void __attribute__((unused)) at_exit(void)
{
	assert(y != 1);
}

#if HOW == 2
__attribute__((destructor)) static void at_end(void)
{
	assert(y != 1);
}
#elif HOW == 3
static pthread_key_t key;

static void of_thread(void *value)
{
	others = *(int *)value;
}

static void *with_key(void *arg)
{
	pthread_setspecific(key, arg);
	return NULL;
}
#endif

int main(void)
{
#if HOW == 1
	atexit(at_exit);
#elif HOW == 3
	static int values[2] = { 1, 2 };
	pthread_t threads[2];

	pthread_key_create(&key, of_thread);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, with_key, &values[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(others != 1);
#endif
	both();
	y = x;
	return HOW == 5 ? x - 2 : 0;
}
