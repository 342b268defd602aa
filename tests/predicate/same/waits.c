/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops that end in the first run, and not in each. */
#include "two.h"

#include <stdatomic.h>

static atomic_int word;
static int kept;

#if HOW == 1
static void one(void)
{
	while (!word)
		;
}

static void two(void)
{
	word = 0;
}

static void *first(void *arg)
{
	word = 1;
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, first, NULL);
	both();
	pthread_join(thread, NULL);
	return kept;
}
#else
static void lock(void)
{
	int expected = 0;

	while (!atomic_compare_exchange_strong(&word, &expected, 1))
		expected = 0;
}

static void one(void)
{
	lock();
	if (!kept)
		word = 0;
}

static void two(void)
{
	lock();
	kept = 1;
	word = 0;
}

int main(void)
{
	both();
	lock();
	return 0;
}
#endif
