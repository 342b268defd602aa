/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread reads a word and writes a byte of it, n times five thousand times, another one changes the word, both
 * under a lock: who is first is all that matters. No write of a byte hides what was read of the word before. */
#include "yardstick.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union {
	volatile uint64_t word;
	volatile uint8_t bytes[8];
} common;
static int times;

static void *run(void *arg)
{
	const int n = me(arg) ? 5000 * times : 0;

	pthread_mutex_lock(&lock);
	common.word += !n;
	for (int k = 0; k < n; k++)
		common.bytes[common.word % 7] = (uint8_t)k;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	times = number(argc, argv);
	run_all(2, run);
	return 0;
}
